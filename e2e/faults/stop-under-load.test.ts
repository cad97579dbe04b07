import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getEmbeddedDatabase } from './embedded-database.ts'
import { openLedger } from './ledger.ts'
import { lockTail } from './lock-tail.ts'
import { acme, type FaultTenant, globe } from './platform-file.ts'
import { type FaultPlatform, startFaultPlatform } from './start-fault-platform.ts'
import { startLoad } from './start-load.ts'

const endsWithinMs = 10_000

function sendOne(platform: FaultPlatform, tenant: FaultTenant) {
  const event = {
    id: randomUUID(),
    type: 'page_view',
    session_id: 'one',
    url: 'https://news.example/',
    event_sequence: 0,
  }
  const body = JSON.stringify({ events: [event] })
  return platform.call({
    method: 'POST',
    host: tenant.domain,
    path: '/api/sdk/events',
    body,
    headers: { 'content-type': 'text/plain' },
  })
}

describe('SIGTERM (threats, "Faults"; architecture, "Failure")', () => {
  let platform: FaultPlatform
  beforeAll(async () => {
    platform = await startFaultPlatform()
  })
  afterAll(() => platform?.close())

  test('under load: the process ends with 0, and everything that was answered is stored', async () => {
    const ledgers = [openLedger(acme), openLedger(globe)]
    const load = startLoad({ ledgers, ports: [platform.port] })
    for (let round = 1; round <= 3; round++) {
      await load.untilAcknowledged(5_000)
      await delay(200 + round * 130)
      const sentMs = performance.now()
      expect(await platform.stop()).toBe(0)
      expect(performance.now() - sentMs).toBeLessThan(endsWithinMs)
      await platform.start()
      const log = await readFile(join(platform.dataDir, 'postgres.log'), 'utf8')
      expect(log).toContain('database system was shut down at')
      expect(log).not.toMatch(/not properly shut down|recovery|redo/)
    }
    await load.untilAcknowledged(5_000)
    const { url } = await getEmbeddedDatabase(platform.dataDir)
    expect(await load.settle(url)).toEqual([])
    for (const { wrong } of load.answers) expect([...wrong]).toEqual([])
  }, 60_000)

  test('answers what is in flight', async () => {
    const { url } = await getEmbeddedDatabase(platform.dataDir)
    expect((await sendOne(platform, acme)).status).toBe(202)
    const lock = await lockTail(url, acme)
    const inFlight = Promise.all(Array.from({ length: 20 }, () => sendOne(platform, acme)))
    await lock.untilWaitedFor()
    // The last of them has arrived by then too.
    await delay(300)
    const ended = platform.stop()
    await delay(500)
    await lock.release()
    for (const { status, body } of await inFlight) {
      expect(status).toBe(202)
      expect(JSON.parse(body)).toMatchObject({ accepted: 1 })
    }
    expect(await ended).toBe(0)
  }, 60_000)
})
