import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/src/testing/database.ts'
import { findViolations, readLog } from './check-log.ts'
import { startConsuming } from './consume-events.ts'
import { openLedger } from './ledger.ts'
import { acme } from './platform-file.ts'
import { startSending } from './send-events.ts'
import { type FaultPlatform, prepareFaultPlatform } from './start-fault-platform.ts'

/** Older than what the tenants keep: a day in the queue and two in the log. */
const oldDays = 5
const oldEvents = 20_000

/** Stores events as the platform does, as if a consumer had stopped some days ago. */
async function storeOldEvents({ pool }: TestDatabase): Promise<{ ids: string[]; partition: string }> {
  const ids = Array.from({ length: oldEvents }, () => randomUUID())
  const at = new Date(Date.now() - oldDays * 86_400_000).toISOString()
  const day = at.slice(0, 10)
  const partition = `event_log_${day.replaceAll('-', '')}`
  await pool.query(
    `create table ${partition} partition of event_log for values from ('${day}') to (date '${day}' + 1)`,
  )
  await pool.query(
    `select append_events(
       array_fill(t.id, array[$2::int]), $3::uuid[], array_fill($4::timestamptz, array[$2::int]), $5, true)
     from tenants t where t.slug = $1`,
    [acme.slug, ids.length, ids, at, ids.map(id => `{"id":"${id}","created_at":"`).join('\n')],
  )
  return { ids, partition }
}

interface Expiry {
  /** The head before and after. */
  from: number
  position: number
}

/** Waits until a partition is gone, and gives what the audit trail says of it. */
async function waitForExpiry({ pool }: TestDatabase, partition: string): Promise<Expiry> {
  for (let look = 0; look < 100; look++) {
    const { rows } = await pool.query<{ details: Expiry }>(
      `select a.details from audit_entries a join tenants t on t.id = a.tenant_id
       where t.slug = $1 and a.action = 'queue.expired' and a.target = 'events'
         and to_regclass($2) is null`,
      [acme.slug, partition],
    )
    if (rows[0]) return rows[0].details
    await delay(150)
  }
  throw new Error('nothing expired within 15 s')
}

describe('expiry while a consumer is reading (threats, "Faults")', () => {
  let database: TestDatabase
  let platform: FaultPlatform
  let worker: FaultPlatform
  beforeAll(async () => {
    database = await createTestDatabase()
    platform = await prepareFaultPlatform({ USHER_DATABASE_URL: database.url, USHER_ROLE: 'http' })
    worker = await prepareFaultPlatform({ USHER_DATABASE_URL: database.url, USHER_ROLE: 'worker' })
    await platform.start()
  })
  afterAll(async () => {
    await worker?.close()
    await platform?.close()
    await database?.drop()
  })

  test('takes what is too old from the front, says so, and takes nothing else', async () => {
    const { ids: old, partition } = await storeOldEvents(database)
    const ledger = openLedger(acme)
    const sending = startSending({ ledger, ports: [platform.port], connections: 2, pauseMs: 20 })
    // So slow that it stands among the old events when they expire.
    const slow = startConsuming({ ledger, port: platform.port, limit: 20, forgetEvery: Infinity })
    // Its first start runs every job once.
    await worker.start()
    const { from, position } = await waitForExpiry(database, partition)
    await sending.stop()
    await slow.stop()
    await startConsuming({ ledger, port: platform.port, limit: 5_000 }).drain()

    expect(position).toBe(old.length)
    expect(from).toBeGreaterThan(0)
    expect(from).toBeLessThan(old.length)
    expect(ledger.removed.slice(0, from)).toEqual(old.slice(0, from))
    expect(ledger.overtaken).toBeLessThanOrEqual(1)

    // And what came later is as if the old events had never been.
    const { rows, head, tail } = await readLog(database.url, acme.slug)
    const later = {
      rows: rows.map(row => ({ ...row, position: (row.position ?? 0) - old.length })),
      head: head - old.length,
      tail: tail - old.length,
    }
    const laterLedger = { ...ledger, overtaken: 0, removed: ledger.removed.slice(from) }
    expect(findViolations(laterLedger, later)).toEqual([])
    for (const { wrong } of [ledger.sending, ledger.consuming]) expect([...wrong]).toEqual([])
  }, 60_000)
})
