-- The event path (docs/adr/0008): two logs partitioned by day, and a queue over each, which is a
-- pair of positions. tail = the last position given, head = the last position removed.

-- Writers lock a tail, consumers a head: two tables, so that they never wait for each other. The low
-- fillfactor keeps every update of these hot rows on its own page.
create table queue_tails (
  tenant_id uuid not null references tenants (id),
  queue text not null check (queue in ('events', 'heartbeats')),
  -- The flag UseQueueEvents: events stored while it is false get no position.
  active boolean not null default false,
  position bigint not null default 0,
  -- The day of the newest stored row and its receipt time: neither ever falls.
  day date not null default '-infinity',
  received_at timestamptz not null default '-infinity',
  primary key (tenant_id, queue)
) with (fillfactor = 40);

create table queue_heads (
  tenant_id uuid not null references tenants (id),
  queue text not null check (queue in ('events', 'heartbeats')),
  position bigint not null default 0,
  -- A day at or before that of position + 1: where a read begins.
  day date not null default '-infinity',
  primary key (tenant_id, queue)
) with (fillfactor = 40);

-- A record is the JSON text as it is served, so that a read need not parse or build it; the columns
-- beside it are what the server itself asks for. No foreign key: a row is only ever inserted under the
-- lock of its tenant's tail, and a check per row costs a fifth of the write path. received_at and day
-- rise with position.
create table event_log (
  tenant_id uuid not null,
  day date not null,
  id uuid not null,
  -- Dense and rising per tenant; null for what was stored while the flag was off.
  position bigint,
  received_at timestamptz not null,
  -- The form of the record.
  version smallint not null default 1,
  record text not null,
  primary key (tenant_id, day, id)
) partition by range (day);
create unique index event_log_position on event_log (tenant_id, position, day) where position is not null;

create table heartbeat_log (like event_log including all) partition by range (day);

-- DELETEs that carried an Idempotency-Key, so that a retried one removes nothing twice.
create table queue_removals (
  tenant_id uuid not null references tenants (id),
  queue text not null check (queue in ('events', 'heartbeats')),
  key_hash bytea not null,
  -- What was asked: the same key with another request is a mistake of the caller's.
  count bigint not null,
  first_id uuid,
  removed_at timestamptz not null default now(),
  primary key (tenant_id, queue, key_hash)
);

-- append_events and append_heartbeats store one batch: one call, one transaction, one round trip.
-- They answer the tenants whose tails were locked elsewhere, and where in the batch ids were known.
-- p_records holds one record a line (JSON text has no raw line break), without its created_at.
do $template$
declare
  kind record;
begin
  for kind in select * from (values ('append_events', 'events', 'event_log'),
                                    ('append_heartbeats', 'heartbeats', 'heartbeat_log')) k (name, queue, log)
  loop
    execute replace(replace(replace($function$
create function :name(
  p_tenants uuid[], p_ids uuid[], p_received timestamptz[], p_records text, p_wait boolean,
  out busy_tenants uuid[], out duplicates int[]
) language plpgsql as $body$
declare
  v_locked uuid[];
  v_first_day date;
  v_last_day date;
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

  -- A statement of its own has a new snapshot: it sees what was committed while the first one waited.
  -- The look-up is a subquery in the select list, so that it is an index probe a row whatever the
  -- planner believes of the batch's size.
  with incoming as materialized (
    select e.n, e.id, e.record, t.tenant_id, t.active, t.position as tail,
           greatest(t.received_at, e.received_at) as received_at,
           greatest(t.day, (e.received_at at time zone 'UTC')::date) as day,
           exists (select from :log l
                   where l.tenant_id = e.tenant_id and l.id = e.id
                     and l.day between v_first_day and v_last_day) as known
    from unnest(p_tenants, p_ids, p_received, string_to_array(p_records, e'\n'))
           with ordinality as e (tenant_id, id, received_at, record, n)
    join queue_tails t on t.queue = ':queue' and t.tenant_id = e.tenant_id
    where e.tenant_id = any (v_locked)
  ),
  stored as (
    insert into :log (tenant_id, day, id, position, received_at, record)
    select tenant_id, day, id,
           case when active then tail + row_number() over (partition by tenant_id order by n) end,
           received_at,
           record || to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || '+00:00"}'
    from incoming where not known
  ),
  advanced as (
    update queue_tails t
    set position = t.position + case when t.active then f.count else 0 end, day = f.day, received_at = f.received_at
    from (select tenant_id, count(*) as count, max(day) as day, max(received_at) as received_at
          from incoming where not known group by tenant_id) f
    where t.queue = ':queue' and t.tenant_id = f.tenant_id
  )
  select array_agg(n) into duplicates from incoming where known;

  busy_tenants := nullif(array(select distinct t from unnest(p_tenants) t where t <> all (v_locked)), '{}');
end
$body$;
    $function$, ':name', kind.name), ':queue', kind.queue), ':log', kind.log);
  end loop;
end
$template$;
