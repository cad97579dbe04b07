import type { EventRecord } from '@usher/consumer'
import type { Pool } from 'pg'

/** Makes the tables where they are missing. */
export async function createTables(pool: Pool): Promise<void> {
  await pool.query(`
    create table if not exists usher_events (
      id uuid primary key,
      type text not null,
      session_id text not null,
      audience_member_id text,
      url text not null,
      created_at timestamptz not null,
      record jsonb not null
    );
    create table if not exists usher_refused_events (
      id uuid primary key,
      record text not null,
      reason text not null
    )`)
}

/**
 * Adds events and gives how many were new: those that are there already, as they were read a second time, are left alone.
 * One statement, so all of them or none.
 */
export async function insertEvents(pool: Pool, events: readonly EventRecord[]): Promise<number> {
  const { rowCount } = await pool.query(
    `insert into usher_events (id, type, session_id, audience_member_id, url, created_at, record)
     select (e ->> 'id')::uuid, e ->> 'type', e ->> 'session_id', e ->> 'audience_member_id', e ->> 'url',
            (e ->> 'created_at')::timestamptz, e
     from jsonb_array_elements($1::jsonb) e
     on conflict (id) do nothing`,
    [JSON.stringify(events)],
  )
  return rowCount ?? 0
}

/** Puts an event aside that the other table does not take. */
export async function insertRefused(pool: Pool, event: EventRecord, reason: string): Promise<void> {
  await pool.query(
    'insert into usher_refused_events (id, record, reason) values ($1, $2, $3) on conflict (id) do nothing',
    [event.id, JSON.stringify(event), reason],
  )
}
