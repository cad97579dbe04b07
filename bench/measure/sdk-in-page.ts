import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import { type Finding, show } from '../report/findings.ts'
import { median, quantile } from '../report/statistics.ts'
import type { Bench } from './bench.ts'
import { findChromium } from './find-chromium.ts'

const targetBytes = 5_000
const targetMs = 5
/** As their makers publish them, gzipped. */
const published = 'Umami 2.35 kB, Plausible 2.7 kB, as published'
/** What a page spends on script of any kind: it sends one page view, and knows no queue, retry or session. */
const bareScript = `fetch('/sink',{method:'POST',keepalive:true,headers:{'content-type':'text/plain'},body:JSON.stringify({events:[{type:'page_view',url:location.href}]})})`
/** After the load, until what the script put off has run. */
const settleMs = 300

/** What the SDK costs a page: its bytes, and the time of the main thread that its script takes from load until its
 *  first events are sent, in a browser without a cache. */
export async function measureSdkInPage(bench: Bench): Promise<Finding[]> {
  const { options, platform, print } = bench
  const executablePath = findChromium()
  if (!executablePath) {
    print('\nchromium is not installed: the SDK in the page is skipped')
    return []
  }
  print(`\nThe SDK in a page, ${options.pageLoads} loads in turn with a script that only sends one request`)
  const script = await fetchScript(platform.port, platform.tenant.domain)
  await using site = await startSite(script.plain)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const loads: ScriptTime[] = []
    const bareLoads: ScriptTime[] = []
    for (let load = 0; load < options.pageLoads; load++) {
      bareLoads.push(await takeScriptTime(browser, `${site.url}/bare`, '/bare.js'))
      loads.push(await takeScriptTime(browser, `${site.url}/sdk`, '/sdk.js'))
    }
    const times = loads.map(({ computedMs }) => computedMs)
    const bareTimes = bareLoads.map(({ computedMs }) => computedMs)
    const showTimes = (of: number[]) => `p50 ${show(median(of), 1)} ms, p95 ${show(quantile(of, 0.95), 1)} ms`
    const showLongest = (of: ScriptTime[]) => showTimes(of.map(({ longestTaskMs }) => longestTaskMs))
    print(`  SDK ${showTimes(times)}; one bare request ${showTimes(bareTimes)}`)
    print(
      `  its longest task, waiting included: SDK ${showLongest(loads)}; one bare request ${showLongest(bareLoads)}`,
    )
    return [
      {
        what: 'the SDK, gzipped, as it is served',
        target: `≤ ${show(targetBytes)} bytes`,
        seen: `${show(script.gzippedBytes)} bytes (${show(script.plain.length)} unpacked)`,
        ratio: '',
        rival: published,
        isMet: script.gzippedBytes <= targetBytes,
      },
      {
        what: 'the time of its script in a page, on load',
        target: `p50 ≤ ${targetMs} ms`,
        seen: showTimes(times),
        ratio: show(median(times) / median(bareTimes), 2),
        rival: `a script that only sends one request ${showTimes(bareTimes)}`,
        isMet: median(times) <= targetMs,
      },
    ]
  } finally {
    await browser.close()
  }
}

/** The tenant's script, and what it weighs on the way. */
async function fetchScript(port: number, host: string): Promise<{ plain: Buffer; gzippedBytes: number }> {
  const get = async (headers: Record<string, string>): Promise<Buffer> => {
    const sent = request({ host: '127.0.0.1', port, path: '/sdk.js', headers: { host, ...headers } }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    if (answer.statusCode !== 200) throw new Error(`GET /sdk.js answered ${answer.statusCode}`)
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return { plain: await get({}), gzippedBytes: (await get({ 'accept-encoding': 'gzip' })).length }
}

/** A site with a page for each script, that takes what they send. */
async function startSite(script: Buffer): Promise<AsyncDisposable & { url: string }> {
  const page = (tag: string) => `<!doctype html><title>Page</title>${tag}<p>Text`
  const answers: Record<string, [type: string, body: string | Buffer]> = {
    '/sdk': ['text/html', page('<script async data-endpoint="/sink" src="/sdk.js"></script>')],
    '/bare': ['text/html', page('<script async src="/bare.js"></script>')],
    '/sdk.js': ['text/javascript', script],
    '/bare.js': ['text/javascript', bareScript],
    '/sink': ['application/json', '{"accepted":1,"duplicates":0,"rejected":[]}'],
  }
  const server = createServer((incoming, response) => {
    incoming.resume()
    const [type, body] = answers[incoming.url ?? ''] ?? ['text/plain', '']
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface TraceEvent {
  name: string
  /** In microseconds, waiting included. */
  dur?: number
  /** Of the thread's own time, in microseconds: what others took of the processor meanwhile does not count. */
  tdur?: number
  args?: { data?: { url?: string } }
}

interface ScriptTime {
  /** Of the main thread, in all tasks together. */
  computedMs: number
  /** From its beginning to its end. */
  longestTaskMs: number
}

/** Loads the page in a fresh profile and adds up the time of the main thread in that script. */
async function takeScriptTime(browser: Browser, url: string, scriptPath: string): Promise<ScriptTime> {
  const visit = await browser.newContext()
  try {
    const page = await visit.newPage()
    await browser.startTracing(page, { categories: ['devtools.timeline'] })
    await page.goto(url)
    await page.waitForTimeout(settleMs)
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: TraceEvent[]
    }
    const ours = traceEvents.filter(
      ({ name, args }) =>
        (name === 'EvaluateScript' || name === 'FunctionCall') && args?.data?.url?.endsWith(scriptPath),
    )
    if (ours.length === 0) throw new Error(`The trace of ${url} knows nothing of ${scriptPath}.`)
    return {
      computedMs: ours.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000,
      longestTaskMs: Math.max(...ours.map(({ dur = 0 }) => dur)) / 1000,
    }
  } finally {
    await visit.close()
  }
}
