-- Members, their sessions, and a row for each token, so that revoking either is seen at every endpoint at once.

create table members (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  -- Lower case; verified, as members sign in by mail.
  email text not null check (email = lower(email)),
  name text,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, email)
);

-- A device session is a browser's; an integration session is made by a client's code exchange.
create table member_sessions (
  tenant_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  kind text not null check (kind in ('device', 'integration')),
  -- The client of an integration session.
  client_id text check ((kind = 'integration') = (client_id is not null)),
  user_agent text not null,
  -- Null where the connection was gone before it could be asked.
  address inet,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  last_seen_address inet,
  expires_at timestamptz not null,
  -- When it was signed out or revoked.
  ended_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index member_sessions_member on member_sessions (tenant_id, member_id);
create index member_sessions_expiry on member_sessions (tenant_id, expires_at);

create table member_tokens (
  tenant_id uuid not null,
  -- The jti.
  id uuid not null,
  -- The session that the token rides (sid): a session that ends ends its tokens.
  session_id uuid not null,
  kind text not null check (kind in ('device', 'access')),
  -- The client that an access token was issued to.
  client_id text check ((kind = 'access') = (client_id is not null)),
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, session_id) references member_sessions (tenant_id, id)
);
create index member_tokens_session on member_tokens (tenant_id, session_id);
create index member_tokens_expiry on member_tokens (tenant_id, expires_at);

-- RS256 keys. A key is published a day before it signs, and until the last token that it signed has expired.
create table signing_keys (
  tenant_id uuid not null references tenants (id),
  kid text not null,
  public_jwk jsonb not null,
  -- PKCS #8, sealed with a key that is not in the database.
  sealed_private_key bytea not null,
  created_at timestamptz not null,
  signs_from timestamptz not null,
  -- When the next key takes over; null until that one is made.
  signs_until timestamptz,
  -- When the last token that it signed has expired; null until it signs no more.
  published_until timestamptz,
  primary key (tenant_id, kid)
);

-- Every process caches keys, and believes for seconds that a session goes on. A change tells them at commit,
-- whoever makes it.
create function notify_signing_keys() returns trigger language plpgsql as $$
begin
  perform pg_notify('usher_members', 'keys');
  return null;
end $$;

create function notify_end() returns trigger language plpgsql as $$
begin
  perform pg_notify('usher_members', new.id::text);
  return null;
end $$;

create trigger notify_signing_keys after insert or update or delete or truncate on signing_keys
  for each statement execute function notify_signing_keys();
create trigger notify_end after update of ended_at on member_sessions
  for each row when (new.ended_at is not null) execute function notify_end();
create trigger notify_end after update of revoked_at on member_tokens
  for each row when (new.revoked_at is not null) execute function notify_end();
