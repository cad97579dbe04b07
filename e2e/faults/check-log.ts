import type { Ledger } from './ledger.ts'
import { queryOnce } from './query-once.ts'

/** A stored event as PostgreSQL has it. */
export interface LogRow {
  id: string
  /** Null: it never was in the queue. */
  position: number | null
  day: string
  /** As it is served. */
  createdAt: string
}

/** A tenant's log, by position, and where its queue stands. */
export interface Log {
  rows: readonly LogRow[]
  tail: number
  head: number
}

/** Reads a tenant's whole log from PostgreSQL itself. */
export async function readLog(databaseUrl: string, slug: string): Promise<Log> {
  const rows = await queryOnce<LogRow>(
    databaseUrl,
    `select l.id, l.position::float8 as position, l.day::text, l.record::json->>'created_at' as "createdAt"
     from event_log l join tenants t on t.id = l.tenant_id
     where t.slug = $1 order by l.position nulls last, l.id`,
    [slug],
  )
  const [positions] = await queryOnce<{ tail: number; head: number }>(
    databaseUrl,
    `select q.position::float8 as tail, h.position::float8 as head
     from queue_tails q join queue_heads h using (tenant_id, queue) join tenants t on t.id = q.tenant_id
     where t.slug = $1 and queue = 'events'`,
    [slug],
  )
  if (!positions) throw new Error(`There is no tenant ${slug} in the database.`)
  return { rows, ...positions }
}

/** Compares what clients were told with what is stored (architecture, "The event path"): an event answered with
 *  2xx is stored once and was delivered, in the order in which it was accepted; nothing was removed unread.
 *  Gives every way in which that does not hold, a sentence each. Call it once the queue is drained. */
export function findViolations(ledger: Ledger, log: Log): string[] {
  return [
    ...ledger.contradictions,
    ...checkIdentity(ledger, log),
    ...checkPositions(log),
    ...checkOrder(ledger, log),
    ...checkDelivery(ledger, log),
  ]
}

/** Each acknowledged id is stored, none twice, and none that was not sent; none was accepted twice. */
function checkIdentity({ sent, acknowledged, accepted }: Ledger, { rows }: Log): string[] {
  const copies = new Map<string, number>()
  for (const { id } of rows) copies.set(id, (copies.get(id) ?? 0) + 1)
  const lost = [...acknowledged].filter(id => !copies.has(id))
  const doubled = [...copies].filter(([, count]) => count > 1).map(([id]) => id)
  const foreign = [...copies.keys()].filter(id => !sent.has(id))
  return [
    ...list('acknowledged, but not stored', lost),
    ...list('stored more than once', doubled),
    ...list('stored, but never sent', foreign),
    ...(accepted > rows.length ? [`${accepted} accepted of ${rows.length} stored`] : []),
  ]
}

/** Positions run from 1 to the tail; days and times never fall. */
function checkPositions({ rows, tail }: Log): string[] {
  const violations: string[] = []
  const wrong = rows.findIndex(({ position }, at) => position !== at + 1)
  if (wrong !== -1) violations.push(`position ${wrong + 1} is ${rows[wrong]?.position ?? 'missing'}`)
  if (tail !== rows.length) violations.push(`the tail is ${tail} of ${rows.length} stored events`)
  for (const field of ['createdAt', 'day'] as const) {
    const falls = rows.findIndex((row, at) => at > 0 && row[field] < (rows[at - 1]?.[field] ?? ''))
    if (falls !== -1) violations.push(`${field} falls at position ${falls + 1}`)
  }
  return violations
}

/** The events of a connection stand in the order in which they were sent. */
function checkOrder({ sent }: Ledger, { rows }: Log): string[] {
  const last = new Map<string, number>()
  for (const { id, position } of rows) {
    const event = sent.get(id)
    if (!event) continue
    const before = last.get(event.connection) ?? -1
    if (event.sequence <= before)
      return [`position ${position} holds ${event.connection}'s event ${event.sequence} after ${before}`]
    last.set(event.connection, event.sequence)
  }
  return []
}

/** What was read and removed is the log, in its order, without a gap. */
function checkDelivery({ removed, overtaken }: Ledger, { rows, head, tail }: Log): string[] {
  const violations: string[] = []
  // There is one consumer.
  if (overtaken > 0) violations.push(`${overtaken} removals were refused with 409`)
  const differs = rows.findIndex(({ id }, at) => removed[at] !== id)
  if (differs !== -1)
    violations.push(
      removed[differs] === undefined
        ? `${rows.length - removed.length} events were never delivered, from position ${differs + 1} on`
        : `position ${differs + 1} was removed without being read in its place`,
    )
  if (removed.length > rows.length)
    violations.push(`${removed.length} events were removed of ${rows.length} stored ones`)
  if (head !== tail) violations.push(`the head is ${head} and the tail ${tail} after the queue was drained`)
  return violations
}

function list(what: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`${ids.length} ${what}: ${ids.slice(0, 5).join(', ')}`]
}
