import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getEmbeddedDatabase } from './embedded-database.ts'
import { openLedger } from './ledger.ts'
import { acme, globe } from './platform-file.ts'
import { queryOnce } from './query-once.ts'
import { type FaultPlatform, startFaultPlatform } from './start-fault-platform.ts'
import { startLoad } from './start-load.ts'
import { watchHealth } from './watch-health.ts'

const rounds = 10
/** The writer's deadline of 5 seconds, and what a machine with much to do adds. */
const answeredWithinMs = 6_500

/** The process id of a connection of the platform, rather of one that writes events just now. */
async function findBackend(databaseUrl: string): Promise<number> {
  const [backend] = await queryOnce<{ pid: number }>(
    databaseUrl,
    `select pid from pg_stat_activity where application_name like 'usher%'
     order by application_name = 'usher writer' desc, state = 'active' desc, random() limit 1`,
  )
  if (!backend) throw new Error('the platform has no connection to its database')
  return backend.pid
}

describe('kill -9 of PostgreSQL under load (threats, "Faults")', () => {
  let platform: FaultPlatform
  beforeAll(async () => {
    platform = await startFaultPlatform()
  })
  afterAll(() => platform?.close())

  test(`${rounds} times in a row: 503 meanwhile, back by itself, and nothing that was answered is lost`, async () => {
    const program = platform.program()
    let hasEnded = false
    void program.over.then(() => {
      hasEnded = true
    })
    const ledgers = [openLedger(acme), openLedger(globe)]
    const load = startLoad({ ledgers, ports: [platform.port] })
    const health = watchHealth(platform.port, acme)
    for (let round = 1; round <= rounds; round++) {
      await load.untilAcknowledged(5_000)
      await delay(200 + ((round * 137) % 500))
      const { pid, url } = await getEmbeddedDatabase(platform.dataDir)
      // Of a killed backend PostgreSQL recovers by itself, throwing every connection out.
      process.kill(round % 3 === 0 ? await findBackend(url) : pid, 'SIGKILL')
      await delay(50)
      // Between two starts of PostgreSQL there are pauses, which grow.
      await load.untilAcknowledged(20_000)
      await health.until('ok', 5_000)
    }
    const { url } = await getEmbeddedDatabase(platform.dataDir)
    expect(await load.settle(url)).toEqual([])
    for (const { wrong, slowestMs } of load.answers) {
      expect([...wrong]).toEqual([])
      expect(slowestMs).toBeLessThan(answeredWithinMs)
    }
    // A long answer of GET may break off in its middle; that of a POST is always whole.
    for (const { sending } of ledgers) expect(sending.broken).toBe(0)
    expect([...health.wrong]).toEqual([])
    expect(health.degraded).toBeGreaterThan(rounds)
    expect(health.slowestMs).toBeLessThan(2_000)
    expect(hasEnded).toBe(false)
  }, 120_000)
})
