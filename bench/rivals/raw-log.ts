import type pg from 'pg'
import { eventIdWriter } from '../load/event-ids.ts'
import { pages, siteOrigin } from '../load/pages.ts'

/** The columns and indexes of the platform's log, but one plain table. */
export const rawLogTable = `
  create table raw_log (
    tenant_id uuid not null,
    day date not null,
    id uuid not null,
    position bigint,
    received_at timestamptz not null,
    version smallint not null default 1,
    record text not null,
    primary key (tenant_id, day, id)
  );
  create unique index raw_log_position on raw_log (tenant_id, position, day) where position is not null`

const insert = `
  insert into raw_log (tenant_id, day, id, position, received_at, record)
  select tenant_id, (received_at at time zone 'UTC')::date, id, $5::bigint + n, received_at, record
  from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], string_to_array($4, e'\\n'))
    with ordinality as r (tenant_id, id, received_at, record, n)`

const tenantId = '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a70'
const sessionId = '019aa2f0-5c1e-7a40-9c3b-000000000001'
/** A record up to its id, and for each page what stands between the id and the sequence number. */
const betweenByPage = pages.map(page => {
  const url = `${siteOrigin}/${page}`
  const { hostname, pathname } = new URL(url)
  return (
    `","type":"page_view","session_id":"${sessionId}","audience_member_id":null,"url":"${url}",` +
    `"page_hostname":"${hostname}","page_path":"${pathname}","user_agent":"Mozilla/5.0 (Windows NT 10.0; Win64; x64) ` +
    'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36","ip_address":"127.0.0.1","event_sequence":'
  )
})

/** Puts rows into the raw log over some connections, each a statement after the other, until the time
 *  is over. Gives how many were committed while it was measured. */
export async function insertRows(
  clients: readonly pg.Client[],
  { rowsPerStatement, warmUpMs, measureMs }: RawInsertJob,
): Promise<{ rows: number; measuredS: number }> {
  const ids = eventIdWriter()
  const id = Buffer.alloc(36)
  const tenantIds = `{${Array.from({ length: rowsPerStatement }, () => tenantId).join()}}`
  let position = 0
  let sequence = 1_000_000
  let rows = 0
  const measureFrom = performance.now() + warmUpMs
  const until = measureFrom + measureMs

  async function insertInTurn(client: pg.Client): Promise<void> {
    while (performance.now() < until) {
      const nowMs = Date.now()
      const receivedAt = new Date(nowMs).toISOString()
      ids.setTime(nowMs)
      const newIds: string[] = []
      const records: string[] = []
      for (let row = 0; row < rowsPerStatement; row++) {
        ids.writeId(id, 0)
        const text = id.toString('latin1')
        newIds.push(text)
        records.push(
          `{"id":"${text}${betweenByPage[row % pages.length]}${sequence++},"created_at":"${receivedAt.slice(0, -1)}+00:00"}`,
        )
      }
      const times = `{${Array.from({ length: rowsPerStatement }, () => receivedAt).join()}}`
      const values = [tenantIds, `{${newIds.join()}}`, times, records.join('\n'), position]
      position += rowsPerStatement
      await client.query({ name: `insert ${rowsPerStatement}`, text: insert, values })
      const endedAt = performance.now()
      if (endedAt > measureFrom && endedAt <= until) rows += rowsPerStatement
    }
  }
  await Promise.all(clients.map(insertInTurn))
  return { rows, measuredS: measureMs / 1000 }
}

export interface RawInsertJob {
  rowsPerStatement: number
  warmUpMs: number
  measureMs: number
}
