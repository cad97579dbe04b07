import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import pg from 'pg'
import { measureExchanges } from './exchanges/measure-exchanges.ts'
import { startLoadGenerator } from './load/load-generator.ts'
import { measureBatchedEvents } from './measure/batched-events.ts'
import type { Bench } from './measure/bench.ts'
import { measureConsumer } from './measure/consumer-throughput.ts'
import { measureMemory } from './measure/memory.ts'
import { measureQueueDepths } from './measure/queue-depths.ts'
import { measureSdkInPage } from './measure/sdk-in-page.ts'
import { measureSilentInPage } from './measure/silent-in-page.ts'
import { measureSingleEvents } from './measure/single-events.ts'
import { type Options, readOptions, usage } from './options.ts'
import { findFreePort, type PlatformOptions, startPlatform } from './platform/start-platform.ts'
import { measureProbes } from './probes/measure-probes.ts'
import { residentMemory } from './process/process-figures.ts'
import { runCleanly } from './process/run-cleanly.ts'
import { type Finding, findingsTable, show } from './report/findings.ts'
import { describeMachine } from './report/machine.ts'
import { measureSignInPage } from './sign-in-page/measure-sign-in-page.ts'

// npm run bench: measures the platform beside its rivals, all in one run, and prints a table.

async function run(options: Options, folder: string): Promise<number> {
  const print = (line: string) => console.log(line)
  const startedAt = new Date()
  print(`Starting the platform on a new database in ${folder} …`)
  const platform = await startPlatform({ folder })
  const load = await startLoadGenerator()
  const bench: Bench = {
    options,
    platform,
    load,
    folder,
    rivalDatabaseUrl: await createRivalDatabase(platform.database.url),
    acknowledged: 0,
    faults: [],
    print,
  }
  const machine = await describeMachine(platform.database.url('usher'), folder)
  for (const line of machine) print(line)

  const findings: Finding[] = []
  const { parts } = options
  if (parts.includes('single')) findings.push(...(await measureSingleEvents(bench)))
  if (parts.includes('batches')) findings.push(...(await measureBatchedEvents(bench)))
  if (parts.includes('queue')) findings.push(...(await measureQueueDepths(bench)))
  if (parts.includes('consumer')) findings.push(...(await measureConsumer(bench)))
  if (parts.includes('sdk')) findings.push(...(await measureSdkInPage(bench)))
  if (parts.includes('silent-in-page')) findings.push(...(await measureSilentInPage(bench)))
  for (const [part, isOpenId] of [
    ['exchanges', false],
    ['openid-exchanges', true],
  ] as const) {
    if (!parts.includes(part)) continue
    const metricsPort = await findFreePort()
    await restart(bench, { metricsPort })
    findings.push(...(await measureExchanges(bench, { metricsPort, isOpenId })))
  }
  if (parts.includes('sign-in-page')) findings.push(...(await measureSignInPage(bench)))
  if (parts.includes('probes')) {
    await restart(bench, { trustedProxy: '127.0.0.1' })
    findings.push(...(await measureProbes(bench)))
  }
  if (parts.includes('memory')) {
    if (parts.length > 1) await restart(bench)
    findings.push(...(await measureMemory(bench)))
  }

  print(`\n${startedAt.toISOString().slice(0, 10)}, npm run bench${options.isQuick ? ' -- --quick' : ''}`)
  for (const line of machine) print(line)
  print(`\n${findingsTable(findings)}`)
  if (options.isQuick) print('\nA quick run: these figures only show that the bench works.')
  for (const fault of bench.faults) console.error(`\nFAULT: ${fault}`)
  return bench.faults.length > 0 ? 1 : 0
}

/** A server without a past, so that its memory is that of the load alone. */
async function restart(
  bench: Bench,
  settings: Pick<PlatformOptions, 'metricsPort' | 'trustedProxy'> = {},
): Promise<void> {
  const memory = await residentMemory(bench.platform.child.pid)
  if (memory) bench.print(`\nThe server's memory had its peak so far at ${show(memory.peakMiB)} MiB.`)
  await bench.platform.stop()
  bench.platform = await startPlatform({
    folder: bench.folder,
    ...settings,
  })
}

/** The rivals' tables lie beside the platform's, on the same server. */
async function createRivalDatabase(url: (database: string) => string): Promise<string> {
  const client = new pg.Client({ connectionString: url('usher') })
  await client.connect()
  await client.query('create database bench_rivals')
  await client.end()
  return url('bench_rivals')
}

async function refuseSmallDisk(folder: string, minFreeGiB: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const freeGiB = (bavail * bsize) / 1024 ** 3
  if (freeGiB < minFreeGiB)
    throw new Error(
      `the bench needs ${minFreeGiB} GiB and ${folder} has ${show(freeGiB, 1)} GiB free: set TMPDIR to a larger disk, or use --quick`,
    )
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.needsHelp) console.log(usage)
  else {
    await refuseSmallDisk(tmpdir(), options.minFreeGiB)
    await runCleanly(folder => run(options, folder))
  }
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 1
}
