-- What a browser is in the middle of, kept on the server so that it survives the way through the mail.

create table sign_in_flows (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  -- SHA-256 of the cookie that binds the flow to its browser.
  browser_hash bytea not null check (length(browser_hash) = 32),
  -- What the client asked for; null where a member signs in for the tenant's own pages.
  client_id text,
  redirect_uri text,
  state text,
  code_challenge text,
  scope text,
  nonce text,
  -- What prompt was: being signed in already is not enough.
  prompt text check (prompt in ('login', 'select_account')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the browser was sent on; a flow is used once.
  finished_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references oauth_clients (tenant_id, client_id),
  check ((client_id is null) = (redirect_uri is null))
);
create index sign_in_flows_expiry on sign_in_flows (expires_at);

-- One mail: its link and its code. The link is the row's id with its HMAC; the key of both is not in the database.
create table sign_in_mails (
  tenant_id uuid not null,
  id uuid not null,
  flow_id uuid not null,
  email text not null check (email = lower(email)),
  -- The six digits, sealed: whoever opens the link in another browser is shown them.
  sealed_code bytea not null,
  wrong_codes integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the link was opened in another browser, which gives its code five tries of its own.
  shown_at timestamptz,
  -- When the link or the code was used: each mail signs in once.
  used_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, flow_id) references sign_in_flows (tenant_id, id)
);
create index sign_in_mails_flow on sign_in_mails (tenant_id, flow_id);
create index sign_in_mails_email on sign_in_mails (tenant_id, email, created_at);
create index sign_in_mails_created on sign_in_mails (created_at);
