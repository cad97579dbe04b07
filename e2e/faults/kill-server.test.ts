import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getEmbeddedDatabase } from './embedded-database.ts'
import { openLedger } from './ledger.ts'
import { acme, globe } from './platform-file.ts'
import { type FaultPlatform, startFaultPlatform } from './start-fault-platform.ts'
import { startLoad } from './start-load.ts'

const rounds = 10

describe('kill -9 of the server under load (threats, "Faults")', () => {
  let platform: FaultPlatform
  beforeAll(async () => {
    platform = await startFaultPlatform()
  })
  afterAll(() => platform?.close())

  test(`${rounds} times in a row: what was answered is stored once, and delivered in order`, async () => {
    const ledgers = [openLedger(acme), openLedger(globe)]
    const load = startLoad({ ledgers, ports: [platform.port] })
    for (let round = 1; round <= rounds; round++) {
      await load.untilAcknowledged(5_000)
      // At another moment of the load each time.
      await delay(300 + ((round * 137) % 500))
      const before = await getEmbeddedDatabase(platform.dataDir)
      const alsoDatabase = round % 3 === 0
      if (alsoDatabase) process.kill(before.pid, 'SIGKILL')
      await platform.kill()
      await platform.start()
      const after = await getEmbeddedDatabase(platform.dataDir)
      // One that lives is adopted.
      if (alsoDatabase) expect(after.pid).not.toBe(before.pid)
      else expect(after.pid).toBe(before.pid)
    }
    await load.untilAcknowledged(5_000)
    const { url } = await getEmbeddedDatabase(platform.dataDir)
    expect(await load.settle(url)).toEqual([])
    for (const { wrong, broken } of load.answers) {
      expect([...wrong]).toEqual([])
      // The kills were felt.
      expect(broken).toBeGreaterThan(0)
    }
  }, 120_000)
})
