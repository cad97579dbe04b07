-- append_events and append_heartbeats of 0002 again, with the ids that were stored before looked up in a
-- statement of its own: for a batch of one tenant, the usual one, with one scan of the index for all of its ids
-- (17 µs of PostgreSQL's processor for a row in place of 25, batches of 500 on 2 cores).
do $template$
declare
  kind record;
begin
  for kind in select * from (values ('append_events', 'events', 'event_log'),
                                    ('append_heartbeats', 'heartbeats', 'heartbeat_log')) k (name, queue, log)
  loop
    execute replace(replace(replace($function$
create or replace function :name(
  p_tenants uuid[], p_ids uuid[], p_received timestamptz[], p_records text, p_wait boolean,
  out busy_tenants uuid[], out duplicates int[]
) language plpgsql as $body$
declare
  v_locked uuid[];
  v_first_day date;
  v_last_day date;
  v_known uuid[];
begin
  -- Positions are given under these locks, which are held until commit: a lower position can never
  -- appear after a higher one.
  if p_wait then
    select array_agg(t.tenant_id), min(t.day), max(t.day) into v_locked, v_first_day, v_last_day
    from (select tenant_id, day from queue_tails
          where queue = ':queue' and tenant_id = any (p_tenants)
          order by tenant_id for update) t;
  else
    select array_agg(t.tenant_id), min(t.day), max(t.day) into v_locked, v_first_day, v_last_day
    from (select tenant_id, day from queue_tails
          where queue = ':queue' and tenant_id = any (p_tenants)
          order by tenant_id for update skip locked) t;
  end if;
  if v_locked is null then
    busy_tenants := p_tenants;
    return;
  end if;
  select greatest(v_first_day, min(r)::date) - 1, greatest(v_last_day, max(r)::date)
    into v_first_day, v_last_day
    from (select r at time zone 'UTC' as r from unnest(p_received) r) r;

  -- Statements of their own have new snapshots: they see what was committed while the first one waited.
  if cardinality(v_locked) = 1 then
    v_known := array(
      select l.id from :log l
      where l.tenant_id = v_locked[1] and l.day between v_first_day and v_last_day and l.id = any (p_ids));
    if v_known <> '{}' then
      select array_agg(e.n) into duplicates
      from unnest(p_tenants, p_ids) with ordinality e (tenant_id, id, n)
      where e.tenant_id = v_locked[1] and e.id = any (v_known);
    end if;
  else
    -- A subquery in the condition is an index probe a row, whatever the planner believes of the batch's size.
    select array_agg(e.n) into duplicates
    from unnest(p_tenants, p_ids) with ordinality e (tenant_id, id, n)
    where e.tenant_id = any (v_locked)
      and (select true from :log l
           where l.tenant_id = e.tenant_id and l.id = e.id
             and l.day between v_first_day and v_last_day limit 1);
  end if;

  with incoming as materialized (
    select e.n, e.id, e.record, t.tenant_id, t.active, t.position as tail,
           greatest(t.received_at, e.received_at) as received_at,
           greatest(t.day, (e.received_at at time zone 'UTC')::date) as day
    from unnest(p_tenants, p_ids, p_received, string_to_array(p_records, e'\n'))
           with ordinality as e (tenant_id, id, received_at, record, n)
    join queue_tails t on t.queue = ':queue' and t.tenant_id = e.tenant_id
    where e.tenant_id = any (v_locked) and (duplicates is null or e.n <> all (duplicates))
  ),
  stored as (
    insert into :log (tenant_id, day, id, position, received_at, record)
    select tenant_id, day, id,
           case when active then tail + row_number() over (partition by tenant_id order by n) end,
           received_at,
           record || to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || '+00:00"}'
    from incoming
  )
  update queue_tails t
  set position = t.position + case when t.active then f.count else 0 end, day = f.day, received_at = f.received_at
  from (select tenant_id, count(*) as count, max(day) as day, max(received_at) as received_at
        from incoming group by tenant_id) f
  where t.queue = ':queue' and t.tenant_id = f.tenant_id;

  if cardinality(v_locked) > 1 or v_locked[1] <> any (p_tenants) then
    busy_tenants := nullif(array(select distinct t from unnest(p_tenants) t where t <> all (v_locked)), '{}');
  end if;
end
$body$;
    $function$, ':name', kind.name), ':queue', kind.queue), ':log', kind.log);
  end loop;
end
$template$;
