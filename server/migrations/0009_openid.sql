-- OpenID Connect on request: what an id_token and userinfo say, what a flow keeps of it, and who is told of an end.

-- When name or address changed last; null until they do.
alter table members add column updated_at timestamptz;
create function note_member_update() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end $$;
create trigger note_member_update before update of email, name on members
  for each row when ((old.email, old.name) is distinct from (new.email, new.name)) execute function note_member_update();

alter table oauth_clients
  -- Where a browser may be sent after it was signed out; compared exactly.
  add column post_logout_redirect_uris text[] not null default '{}',
  -- Where the client is told that a session has ended.
  add column backchannel_logout_uri text;

alter table sign_in_flows
  -- How long ago the member may have signed in for that to be enough, in seconds.
  add column max_age_s integer check (max_age_s >= 0),
  -- Languages that the client wants the pages in, best first.
  add column ui_locales text,
  -- The member that an id_token_hint names: nobody else is to come back.
  add column member_hint uuid;

-- Of a token with the scope openid: the device session in which the member signed in, the sid of the id_token. It may be
-- gone before the token is.
alter table member_tokens add column browser_session_id uuid;
create index member_tokens_browser_session on member_tokens (tenant_id, browser_session_id)
  where browser_session_id is not null;

-- One exchange, as in 0006, which also tells of the device session.
drop function exchange_code(uuid, bytea, text, bytea, text, text, uuid, uuid, text, inet, timestamptz, timestamptz);
create function exchange_code(
  p_tenant uuid, p_code_hash bytea, p_client_id text, p_secret_hash bytea, p_redirect_uri text, p_challenge text,
  p_session uuid, p_token uuid, p_user_agent text, p_address inet, p_now timestamptz, p_expires_at timestamptz,
  out member_id uuid, out session_id uuid, out expires_at timestamptz, out scope text, out nonce text,
  out browser_session_id uuid, out signed_in_at timestamptz
) returns setof record language plpgsql
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
    returning a.member_id, a.scope, a.nonce, a.session_id as browser_session_id, s.created_at as signed_in_at,
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
    insert into member_tokens (tenant_id, id, session_id, kind, client_id, issued_at, expires_at, browser_session_id)
    select p_tenant, p_token, code.session_id, 'access', p_client_id, p_now, code.expires_at,
      case when 'openid' = any(string_to_array(code.scope, ' ')) then code.browser_session_id end
    from code
  )
  select code.member_id, code.session_id, code.expires_at, code.scope, code.nonce, code.browser_session_id,
    code.signed_in_at from code;
end $$;
