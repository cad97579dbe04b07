-- The event path (docs/adr/0010): two logs partitioned by day, and a queue over each, which is a
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
