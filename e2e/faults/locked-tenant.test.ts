import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/src/testing/database.ts'
import { openLedger } from './ledger.ts'
import { lockTail } from './lock-tail.ts'
import { acme, globe } from './platform-file.ts'
import { type FaultPlatform, startFaultPlatform } from './start-fault-platform.ts'
import { startLoad } from './start-load.ts'

/** The deadline of 5 seconds, and what a machine with much to do adds. */
const answeredWithinMs = 6_500

describe('one tenant whose rows are locked for 10 seconds (threats, "Faults")', () => {
  let database: TestDatabase
  let platform: FaultPlatform
  beforeAll(async () => {
    database = await createTestDatabase()
    platform = await startFaultPlatform({ USHER_DATABASE_URL: database.url, USHER_ROLE: 'http' })
  })
  afterAll(async () => {
    await platform?.close()
    await database?.drop()
  })

  test("the others' events are stored meanwhile, and its own when it is free", async () => {
    const [locked, free] = [openLedger(acme), openLedger(globe)]
    const load = startLoad({ ledgers: [locked], ports: [platform.port] })
    await load.untilAcknowledged(3_000)
    const lock = await lockTail(database.url, acme)
    // Nothing is committed at first, and so nothing tells the writer that the database is well.
    await delay(7_000)
    const others = startLoad({ ledgers: [free], ports: [platform.port] })
    await others.untilAcknowledged(3_000)
    await delay(3_000)
    const acknowledged = locked.acknowledged.size
    expect(await others.settle(database.url)).toEqual([])
    expect(locked.acknowledged.size).toBe(acknowledged)
    await lock.release()

    await load.untilAcknowledged(3_000)
    expect(await load.settle(database.url)).toEqual([])
    for (const { wrong, broken, slowestMs } of [...load.answers, ...others.answers]) {
      expect([...wrong]).toEqual([])
      expect(broken).toBe(0)
      expect(slowestMs).toBeLessThan(answeredWithinMs)
    }
    // Those that wait for the lock are refused in time; nobody else is, and consumers never wait for writers.
    expect(locked.sending.unavailable).toBeGreaterThan(0)
    for (const { unavailable, slowestMs } of [locked.consuming, free.sending, free.consuming]) {
      expect(unavailable).toBe(0)
      expect(slowestMs).toBeLessThan(3_000)
    }
  }, 60_000)
})
