-- Signing in by an account at somebody else: Google, Apple, Microsoft, GitHub, or any provider of OpenID Connect.

create table social_providers (
  tenant_id uuid not null references tenants (id),
  -- Stands in the provider's redirect URI, so it never changes.
  id text not null check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  kind text not null check (kind in ('google', 'apple', 'microsoft', 'github', 'oidc')),
  -- What members read.
  name text not null check (name <> ''),
  issuer text not null check (issuer <> ''),
  client_id text not null check (client_id <> ''),
  -- The client's secret, of Apple the private key that signs one; sealed with a key that is not in the database.
  sealed_secret bytea not null,
  -- Of Apple.
  team_id text check ((kind = 'apple') = (team_id is not null)),
  key_id text check ((kind = 'apple') = (key_id is not null)),
  -- Whether members are offered it.
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret_changed_at timestamptz not null,
  primary key (tenant_id, id)
);

-- Every process caches what the sign-in page offers; a change tells them at commit, whoever makes it.
create trigger notify_tenancy after insert or update or delete or truncate on social_providers
  for each statement execute function notify_tenancy();

-- Accounts at providers that are a member's. Known by issuer and subject alone, whatever their mail address becomes.
create table member_identities (
  tenant_id uuid not null,
  issuer text not null,
  subject text not null,
  id uuid not null,
  member_id uuid not null,
  -- By which it came last; a provider that is gone leaves its accounts, for the day that it is back.
  provider_id text not null,
  -- What the member knows the account by: its address, or its name there.
  label text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (tenant_id, issuer, subject),
  unique (tenant_id, id),
  foreign key (tenant_id, member_id) references members (tenant_id, id)
);
create index member_identities_member on member_identities (tenant_id, member_id);

-- A browser that was sent to a provider, until it is back: once, with the state that only it knows.
create table social_attempts (
  tenant_id uuid not null references tenants (id),
  -- SHA-256 of the state.
  state_hash bytea not null check (length(state_hash) = 32),
  -- SHA-256 of the cookie that binds it to its browser.
  browser_hash bytea not null check (length(browser_hash) = 32),
  provider_id text not null,
  -- The sign-in that it goes on with; null where a member links an account.
  flow_id uuid,
  -- The member and the device session that link.
  member_id uuid,
  session_id uuid,
  -- The nonce and the PKCE verifier, sealed.
  sealed_checks bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (tenant_id, state_hash),
  check ((flow_id is null) = (member_id is not null) and (member_id is null) = (session_id is null))
);
create index social_attempts_expiry on social_attempts (expires_at);

-- A tenant may have its members sign in by providers alone.
alter table tenants drop constraint tenants_login_methods_check;
alter table tenants add constraint tenants_login_methods_check
  check (login_methods <@ '{magic_link,one_time_code}');
