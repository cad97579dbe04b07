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
  primary key (tenant_id, code_hash),
  foreign key (tenant_id, client_id) references oauth_clients (tenant_id, client_id),
  foreign key (tenant_id, member_id) references members (tenant_id, id),
  foreign key (tenant_id, session_id) references member_sessions (tenant_id, id)
);
create index authorization_codes_expiry on authorization_codes (expires_at);

-- Every process caches clients; a change tells them at commit, whoever makes it.
create trigger notify_tenancy after insert or update or delete or truncate on oauth_clients
  for each statement execute function notify_tenancy();
