import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDatabase } from '../../server/src/testing/database.ts'
import { openLedger } from './ledger.ts'
import { acme, globe } from './platform-file.ts'
import { queryOnce } from './query-once.ts'
import { startSending } from './send-events.ts'
import { type FaultPlatform, prepareFaultPlatform } from './start-fault-platform.ts'
import { startLoad } from './start-load.ts'

describe('two processes on one database (threats, "Faults")', () => {
  const ledgers = [openLedger(acme), openLedger(globe)] as const
  const name = `test_${randomUUID().replaceAll('-', '')}`
  let databaseUrl: string
  let first: FaultPlatform
  let second: FaultPlatform
  beforeAll(async () => {
    databaseUrl = await createDatabase(inject('postgresUrl'), name)
    const env = { USHER_DATABASE_URL: databaseUrl, USHER_ROLE: 'http' }
    first = await prepareFaultPlatform(env)
    second = await prepareFaultPlatform(env)
    // At the same moment and on an empty database: their migrations and declarations meet too.
    await Promise.all([first.start(), second.start()])
  })
  afterAll(async () => {
    await first?.close()
    await second?.close()
    await queryOnce(inject('postgresUrl'), `drop database if exists ${name} with (force)`)
  })

  test('that are sent the same events at the same moment store each once', async () => {
    const load = startLoad({ ledgers, ports: [first.port, second.port] })
    await delay(3_000)
    expect(await load.settle(databaseUrl)).toEqual([])
    for (const { sent, accepted } of ledgers) {
      expect(sent.size).toBeGreaterThan(100)
      // Of the two answers to an event one says accepted, the other known.
      expect(accepted).toBe(sent.size)
    }
    for (const { wrong, unavailable, broken } of load.answers) {
      expect([...wrong]).toEqual([])
      expect({ unavailable, broken }).toEqual({ unavailable: 0, broken: 0 })
    }
  }, 60_000)

  test('of which one is killed three times: the other goes on for the same tenant', async () => {
    const [ledger] = ledgers
    const load = startLoad({ ledgers: [ledger], ports: [first.port] })
    const sending = startSending({ ledger, ports: [second.port], connections: 4 })
    for (let round = 1; round <= 3; round++) {
      await delay(300 + round * 110)
      await second.kill()
      await load.untilAcknowledged(3_000)
      await second.start()
    }
    await sending.stop()
    expect(await load.settle(databaseUrl)).toEqual([])
    for (const { wrong, unavailable, slowestMs } of load.answers) {
      expect([...wrong]).toEqual([])
      expect(unavailable).toBe(0)
      expect(slowestMs).toBeLessThan(3_000)
    }
  }, 60_000)
})
