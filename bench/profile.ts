import { mkdir, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { exchangeRequests } from './exchanges/code-server.ts'
import { platformCodes } from './exchanges/platform-codes.ts'
import { startRequestGenerator } from './exchanges/request-generator.ts'
import { startLoadGenerator } from './load/load-generator.ts'
import type { LoadJob } from './load/load-job.ts'
import { type Platform, startPlatform } from './platform/start-platform.ts'
import { probeRequests } from './probes/crowd.ts'
import { runCleanly } from './process/run-cleanly.ts'
import { type CpuProfile, readProfile, type Share } from './profile/cpu-profile.ts'
import { openInspector } from './profile/inspector.ts'
import { show } from './report/findings.ts'
import { authorizeRequest } from './sign-in-page/measure-sign-in-page.ts'

// node bench/profile.ts single | batches | read | exchange | sign-in-page | probe: where the server's time goes under load. Prints the
// functions and the parts with most self time and writes a .cpuprofile for the DevTools of a browser.

const kinds = ['single', 'batches', 'read', 'exchange', 'sign-in-page', 'probe'] as const
type Kind = (typeof kinds)[number]
const usage = `node bench/profile.ts ${kinds.join(' | ')} [--seconds 8] [--out bench/profiles]`
const warmUpMs = 4_000
const samplingIntervalUs = 250
const readDepth = 10_000

/** Keeps the server busy in the way that is asked for; gives what was done each second. */
async function keepBusy(
  platform: Platform,
  kind: Kind,
  lengthMs: number,
  exchanges: readonly string[],
): Promise<string> {
  if (kind === 'read') {
    const until = performance.now() + lengthMs
    let reads = 0
    for (; performance.now() < until; reads++) await platform.queue.read()
    return `${show(lengthMs / reads, 1)} ms a GET`
  }
  if (kind === 'exchange' || kind === 'sign-in-page' || kind === 'probe') {
    const generator = await startRequestGenerator()
    const { requests, repeat, start } = {
      exchange: { requests: exchanges, repeat: false, start: '{"access_token":' },
      'sign-in-page': { requests: [authorizeRequest(platform)], repeat: true, start: '<!doctype html>' },
      probe: { requests: probeRequests(platform), repeat: true, start: '{"status":"unauthenticated"}' },
    }[kind]
    const result = await generator.run({
      port: platform.port,
      requests,
      repeat,
      connections: 32,
      warmUpMs: 0,
      measureMs: lengthMs,
      expected: { status: 200, start },
    })
    await generator.stop()
    for (const [error, count] of Object.entries(result.errors)) console.error(`FAULT: ${count} × ${error}`)
    return `${show(result.requests / result.measuredS)} requests/s`
  }
  const load = await startLoadGenerator()
  const { requests, measuredS, errors } = await load.run({
    ...jobOf(platform),
    eventsPerRequest: kind === 'single' ? 1 : 50,
    measureMs: lengthMs,
  })
  await load.stop()
  for (const [error, count] of Object.entries(errors)) console.error(`FAULT: ${count} × ${error}`)
  return `${show(requests / measuredS)} requests/s`
}

const jobOf = ({ port, tenant }: Platform): Omit<LoadJob, 'measureMs'> => ({
  port,
  host: tenant.domain,
  path: '/api/sdk/events',
  connections: 64,
  eventsPerRequest: 100,
  warmUpMs: 0,
})

async function fill(platform: Platform): Promise<void> {
  const load = await startLoadGenerator()
  await load.run({ ...jobOf(platform), connections: 8, requests: readDepth / 100, measureMs: 60_000 })
  await load.stop()
}

async function makeExchanges(platform: Platform, lengthMs: number): Promise<string[]> {
  const server = await platformCodes(platform, { isOpenId: false })
  const codes = await server.makeCodes(5 * (warmUpMs + lengthMs + 1_000))
  await server.stop()
  return exchangeRequests(server, codes)
}

async function profile(kind: Kind, lengthMs: number, outFolder: string, folder: string): Promise<number> {
  const platform = await startPlatform({
    folder,
    nodeArgs: ['--inspect=127.0.0.1:0'],
    ...(kind === 'probe' && { trustedProxy: '127.0.0.1' }),
  })
  if (kind === 'read') await fill(platform)
  const exchanges = kind === 'exchange' ? await makeExchanges(platform, lengthMs) : []
  const inspector = await openInspector(platform.child)
  await inspector.call('Profiler.enable')
  await inspector.call('Profiler.setSamplingInterval', { interval: samplingIntervalUs })
  const busy = keepBusy(platform, kind, warmUpMs + lengthMs + 1_000, exchanges)
  await delay(warmUpMs)
  await inspector.call('Profiler.start')
  await delay(lengthMs)
  const { profile } = await inspector.call<{ profile: CpuProfile }>('Profiler.stop')
  const { result } = await inspector.call<{ result: { value: string } }>('Runtime.evaluate', {
    expression: 'JSON.stringify(process.memoryUsage())',
  })
  console.log(`${kind}: ${await busy}, with the profiler on`)
  inspector.close()

  const { functions, parts, idle } = readProfile(profile)
  const list = (shares: Share[]) =>
    shares.slice(0, 20).map(({ name, share }) => `  ${show(share * 100, 1).padStart(5)} % ${name}`)
  console.log(`idle ${show(idle * 100, 1)} %; of the rest, by function:\n${list(functions).join('\n')}`)
  console.log(`by part:\n${list(parts).join('\n')}`)
  const memory = Object.entries(JSON.parse(result.value) as Record<string, number>)
  console.log(`MiB: ${memory.map(([name, bytes]) => `${name} ${show(bytes / 1024 ** 2)}`).join(', ')}`)
  await mkdir(outFolder, { recursive: true })
  const file = resolve(outFolder, `${kind}.cpuprofile`)
  await writeFile(file, JSON.stringify(profile))
  console.log(`Written to ${file}`)
  return 0
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '8' },
    out: { type: 'string', default: fileURLToPath(new URL('profiles', import.meta.url)) },
  },
})
const kind = kinds.find(name => name === positionals[0])
if (kind && Number(values.seconds) >= 1)
  await runCleanly(folder => profile(kind, Number(values.seconds) * 1000, values.out, folder))
else {
  console.error(usage)
  process.exitCode = 1
}
