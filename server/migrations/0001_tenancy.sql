-- Tenancy (docs/adr/0010): who the tenants are, at which hosts, with which staff and keys.
--
-- Every table of a tenant has tenant_id first in its primary key and in its foreign keys to other
-- tables of a tenant. Hosts and keys are unique over the platform, as they are looked up before the
-- tenant is known: where the database is sharded by tenant, this file's tables are on every node.
-- Ids are UUIDv7, made by the program.

create table tenants (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null check (name <> ''),
  created_at timestamptz not null,
  suspended_at timestamptz,
  -- How the tenant's events are treated.
  retention_days integer not null default 400 check (retention_days between 1 and 3650),
  queue_retention_days integer not null default 30 check (queue_retention_days between 1 and 3650),
  shorten_addresses boolean not null default false,
  bots text not null default 'mark' check (bots in ('mark', 'drop')),
  site_hosts text[] not null default '{}',
  secret_parameters text[] not null default '{}'
);

-- A tenant's canonical domain and its aliases; {slug}.{platform host} is an alias without a row.
create table hostnames (
  tenant_id uuid not null references tenants (id),
  host text not null unique check (host = lower(host)),
  canonical boolean not null,
  primary key (tenant_id, host)
);
create unique index hostnames_canonical on hostnames (tenant_id) where canonical;

create table feature_flags (
  tenant_id uuid not null references tenants (id),
  flag text not null,
  active boolean not null,
  changed_at timestamptz not null,
  primary key (tenant_id, flag)
);

-- People who run the platform or a tenant. An operator is a super admin.
create table staff_users (
  id uuid primary key,
  email text not null unique check (email = lower(email)),
  operator boolean not null default false,
  created_at timestamptz not null
);

create table tenant_staff (
  tenant_id uuid not null references tenants (id),
  user_id uuid not null references staff_users (id),
  role text not null check (role in ('administrator', 'viewer')),
  created_at timestamptz not null,
  primary key (tenant_id, user_id)
);
create index tenant_staff_user on tenant_staff (user_id);

-- Organization keys. Only the SHA-256 of a token is kept. A key that gets another token is revoked and
-- a new row takes its name, so that an id in the audit trail always means one token.
create table api_keys (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  user_id uuid not null references staff_users (id),
  name text not null check (name <> ''),
  token_hash bytea not null unique check (length(token_hash) = 32),
  abilities text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index api_keys_name on api_keys (tenant_id, name) where revoked_at is null;

-- The same for the platform's keys, which belong to operators.
create table platform_keys (
  id uuid primary key,
  user_id uuid not null references staff_users (id),
  name text not null check (name <> ''),
  token_hash bytea not null unique check (length(token_hash) = 32),
  abilities text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null
);
create unique index platform_keys_name on platform_keys (name) where revoked_at is null;

-- The audit trail: who did what to what, from where, when. A tenant's and the platform's own.
create table audit_entries (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('user', 'key', 'system')),
  -- The user's or the key's id; null for the system.
  actor_id uuid check ((actor_kind = 'system') = (actor_id is null)),
  -- The address, name or program that a reader knows the actor by.
  actor_name text not null,
  action text not null,
  target text not null,
  details jsonb not null default '{}',
  -- The network address that the request came from; null where there was none.
  address inet,
  primary key (tenant_id, id)
);

create table platform_audit_entries (
  id uuid primary key,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('user', 'key', 'system')),
  actor_id uuid check ((actor_kind = 'system') = (actor_id is null)),
  actor_name text not null,
  action text not null,
  target text not null,
  details jsonb not null default '{}',
  address inet
);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is append-only: % of % is refused', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;

create trigger append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();
create trigger append_only before update or delete or truncate on platform_audit_entries
  for each statement execute function refuse_audit_change();

-- Every process caches hosts and keys. A change tells them at commit, whoever makes it.
create function notify_tenancy() returns trigger language plpgsql as $$
begin
  perform pg_notify('usher_tenancy', tg_table_name);
  return null;
end $$;

create trigger notify_tenancy after insert or update or delete or truncate on tenants
  for each statement execute function notify_tenancy();
create trigger notify_tenancy after insert or update or delete or truncate on hostnames
  for each statement execute function notify_tenancy();
create trigger notify_tenancy after insert or update or delete or truncate on staff_users
  for each statement execute function notify_tenancy();
create trigger notify_tenancy after insert or update or delete or truncate on tenant_staff
  for each statement execute function notify_tenancy();
create trigger notify_tenancy after insert or update or delete or truncate on api_keys
  for each statement execute function notify_tenancy();
create trigger notify_tenancy after insert or update or delete or truncate on platform_keys
  for each statement execute function notify_tenancy();
