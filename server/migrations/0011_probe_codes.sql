-- The codes of session probes: many at once, as they come many at once. A function, as planning this anew for each
-- takes longer than running it (docs/adr/0015).

create function issue_probe_codes(
  p_tenants uuid[], p_code_hashes bytea[], p_client_ids text[], p_origins text[], p_members uuid[], p_sessions uuid[],
  p_issued_at timestamptz[], p_expires_at timestamptz[],
  out is_registered boolean, out is_live boolean
) returns setof record language plpgsql
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with asked as materialized (
    -- Subqueries are an index probe a row, whatever the planner believes of the number of rows.
    select a.*,
      (select c.redirect_uris[1] from oauth_clients c
        where c.tenant_id = a.tenant_id and c.client_id = a.client_id and c.enabled
          and a.origin = any (c.allowed_origins)) as redirect_uri,
      coalesce((select true from member_sessions s
        where s.tenant_id = a.tenant_id and s.id = a.session_id and s.ended_at is null
          and s.expires_at > a.issued_at), false) as is_live
    from unnest(p_tenants, p_code_hashes, p_client_ids, p_origins, p_members, p_sessions, p_issued_at, p_expires_at)
      with ordinality a (tenant_id, code_hash, client_id, origin, member_id, session_id, issued_at, expires_at, n)
  ),
  stored as (
    insert into authorization_codes (tenant_id, code_hash, client_id, redirect_uri, member_id, session_id, origin,
      issued_at, expires_at)
    select tenant_id, code_hash, client_id, redirect_uri, member_id, session_id, 'probe', issued_at, expires_at
    from asked where redirect_uri is not null and asked.is_live
  )
  select redirect_uri is not null, asked.is_live from asked order by n;
end $$;
