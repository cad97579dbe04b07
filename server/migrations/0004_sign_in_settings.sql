-- How a tenant signs its members in (decisions, "First start, and configuration").
alter table tenants
  -- The Domain of the session cookie; null: the cookie is the exact host's, and silent sign-in always says no.
  add column cookie_domain text check (cookie_domain = lower(cookie_domain)),
  -- Closed: only addresses that are members already get in.
  add column sign_up text not null default 'open' check (sign_up in ('open', 'closed')),
  add column login_methods text[] not null default '{magic_link,one_time_code}'
    check (login_methods <@ '{magic_link,one_time_code}' and login_methods <> '{}'),
  add column brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  add column logo_url text,
  -- Languages of the pages, the first one where the browser asks for none of them; empty: all that there are.
  add column languages text[] not null default '{}',
  add column access_token_ttl_s integer not null default 2592000 check (access_token_ttl_s between 60 and 31536000),
  -- The sender of the tenant's mail; null: the installation's.
  add column mail_from text;
