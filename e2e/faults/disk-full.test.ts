import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { getEmbeddedDatabase } from './embedded-database.ts'
import { openLedger } from './ledger.ts'
import { acme, globe } from './platform-file.ts'
import { queryOnce } from './query-once.ts'
import { mountSmallDisk } from './small-disk.ts'
import { startFaultPlatform } from './start-fault-platform.ts'
import { startLoad } from './start-load.ts'

/** A new database takes about 60 MB. */
const diskMiB = 200
/** The deadline of 5 seconds, and what a machine with much to do adds. */
const answeredWithinMs = 6_500

describe('a disk that is full (threats, "Faults")', () => {
  test('refuses events with 503, loses none that was answered, and goes on when there is space', async ({
    skip,
  }) => {
    const disk = mountSmallDisk(diskMiB)
    if (typeof disk === 'string') return skip(disk)
    onTestFinished(disk.close)
    const platform = await startFaultPlatform({ USHER_DATA_DIR: disk.folder })
    onTestFinished(platform.close)
    if (existsSync(join(disk.folder, 'postgres-location')))
      return skip('PostgreSQL can only run with its data on another disk here')

    const ledgers = [openLedger(acme), openLedger(globe)]
    const load = startLoad({ ledgers, ports: [platform.port] })
    const refusedEvents = () => ledgers.reduce((sum, { sending }) => sum + sending.unavailable, 0)
    const refusedReads = () => ledgers.reduce((sum, { consuming }) => sum + consuming.unavailable, 0)
    await load.untilAcknowledged(5_000)
    await delay(500)

    await disk.fill()
    await expect.poll(refusedEvents, { timeout: 10_000 }).toBeGreaterThan(0)
    await disk.free()
    await load.untilAcknowledged(5_000)

    // Once more, until PostgreSQL itself ends: it does so where there is no space for its write-ahead log.
    const { url } = await getEmbeddedDatabase(platform.dataDir)
    const before = refusedReads()
    await disk.fill()
    // The next commit needs a new segment, unless it came to that already.
    await queryOnce(url, 'select pg_switch_wal()').catch(() => {})
    await expect.poll(refusedReads, { timeout: 10_000 }).toBeGreaterThan(before)
    await disk.free()
    // PostgreSQL is started again after a pause, which has grown meanwhile.
    await load.untilAcknowledged(20_000)

    expect(await load.settle(url)).toEqual([])
    for (const { wrong, slowestMs } of load.answers) {
      expect([...wrong]).toEqual([])
      expect(slowestMs).toBeLessThan(answeredWithinMs)
    }
    for (const { sending } of ledgers) expect(sending.broken).toBe(0)
  }, 90_000)
})
