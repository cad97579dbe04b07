-- Background jobs and samples of the queues (docs/adr/0007). The jobs themselves are in the schema pgboss,
-- which pg-boss makes and keeps.

-- The newest slot of each schedule that was fired, and the job that it sent. A worker that raises slot_at
-- sends the job in the same transaction, so a slot fires once however many workers there are.
create table job_schedules (
  name text primary key,
  slot_at timestamptz not null,
  job_id uuid not null
);

-- Depth, age and consumer rate of each queue, once a minute, for the console's charts.
create table queue_samples (
  tenant_id uuid not null references tenants (id) on delete cascade,
  queue text not null check (queue in ('events', 'heartbeats')),
  taken_at timestamptz not null,
  depth bigint not null,
  -- Null when nothing waited.
  oldest_age_s bigint,
  head_position bigint not null,
  -- Removed per second since the sample before; null where there is none, or the head was moved back.
  removed_per_s double precision,
  primary key (tenant_id, queue, taken_at)
);
-- Rows come in the order of time, so that pruning finds the oldest with an index of a few pages.
create index queue_samples_taken_at on queue_samples using brin (taken_at);
