-- OAuth clients, and the codes that they exchange.

create table oauth_clients (
  tenant_id uuid not null references tenants (id),
  -- Public, given at creation, never changed.
  client_id text not null check (client_id ~ '^[A-Za-z0-9._-]{1,128}$'),
  name text not null check (name <> ''),
  -- SHA-256: a secret has full entropy.
  secret_hash bytea not null check (length(secret_hash) = 32),
  -- In the order of registration: a probe's code is stamped with the first.
  redirect_uris text[] not null,
  allowed_origins text[] not null default '{}',
  pkce_required boolean not null default false,
  enabled boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret_changed_at timestamptz not null,
  primary key (tenant_id, client_id)
);

create table authorization_codes (
  tenant_id uuid not null,
  -- SHA-256 of the 64 characters.
  code_hash bytea not null check (length(code_hash) = 32),
  client_id text not null,
  redirect_uri text not null,
  -- S256; null where none was sent.
  code_challenge text,
  member_id uuid not null,
  -- The device session that asked. A token from a silent code rides it; one from an interactive code gets a session of its own.
  session_id uuid not null,
  origin text not null check (origin in ('interactive', 'probe', 'prompt_none')),
  scope text,
  nonce text,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The token that it was exchanged for, to be revoked when somebody else comes with the code.
  token_id uuid check ((used_at is null) = (token_id is null)),
  primary key (tenant_id, code_hash),
  foreign key (tenant_id, client_id) references oauth_clients (tenant_id, client_id),
  foreign key (tenant_id, member_id) references members (tenant_id, id),
  foreign key (tenant_id, session_id) references member_sessions (tenant_id, id)
  -- Room for the one update of each row on its own page, so that using a code up touches no index.
) with (fillfactor = 50);
create index authorization_codes_expiry on authorization_codes (expires_at);

-- Every process caches clients; a change tells them at commit, whoever makes it.
create trigger notify_tenancy after insert or update or delete or truncate on oauth_clients
  for each statement execute function notify_tenancy();

-- One exchange: uses up a code and makes the rows of its token, in one statement, so that of many calls at once
-- exactly one gets a row. A function, as planning this anew for each exchange takes longer than running it
-- (docs/adr/0015). The secret is looked at here again, so that one that was replaced is worth nothing from the
-- commit on, whatever a process still has in its cache.
create function exchange_code(
  p_tenant uuid, p_code_hash bytea, p_client_id text, p_secret_hash bytea, p_redirect_uri text, p_challenge text,
  p_session uuid, p_token uuid, p_user_agent text, p_address inet, p_now timestamptz, p_expires_at timestamptz,
  out member_id uuid, out session_id uuid, out expires_at timestamptz, out scope text, out nonce text
) returns setof record language plpgsql
-- The plan is the same whatever the values are; left to itself, PostgreSQL may plan anew for each while the tables are small.
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with code as (
    update authorization_codes a set used_at = p_now, token_id = p_token
    from oauth_clients c, member_sessions s
    where a.tenant_id = p_tenant and a.code_hash = p_code_hash
      and a.used_at is null and a.expires_at > p_now
      and a.client_id = p_client_id and a.redirect_uri = p_redirect_uri
      and a.code_challenge is not distinct from p_challenge
      and c.tenant_id = p_tenant and c.client_id = p_client_id and c.enabled and c.secret_hash = p_secret_hash
      and s.tenant_id = p_tenant and s.id = a.session_id and s.ended_at is null and s.expires_at > p_now
    returning a.member_id, a.scope, a.nonce,
      case when a.origin = 'interactive' then p_session else a.session_id end as session_id,
      case when a.origin = 'interactive' then p_expires_at else least(p_expires_at, s.expires_at) end as expires_at,
      a.origin = 'interactive' as is_fresh
  ),
  fresh_session as (
    insert into member_sessions (tenant_id, id, member_id, kind, client_id, user_agent, address, created_at,
      last_seen_at, last_seen_address, expires_at)
    select p_tenant, p_session, code.member_id, 'integration', p_client_id, p_user_agent, p_address, p_now,
      p_now, p_address, code.expires_at
    from code where is_fresh
  ),
  token as (
    insert into member_tokens (tenant_id, id, session_id, kind, client_id, issued_at, expires_at)
    select p_tenant, p_token, code.session_id, 'access', p_client_id, p_now, code.expires_at from code
  )
  select code.member_id, code.session_id, code.expires_at, code.scope, code.nonce from code;
end $$;
