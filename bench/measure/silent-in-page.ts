import { once } from 'node:events'
import { createServer } from 'node:http'
import pg from 'pg'
import { type Browser, chromium } from 'playwright-core'
import { client } from '../exchanges/code-server.ts'
import { signIn } from '../probes/store-sessions.ts'
import { type Finding, show } from '../report/findings.ts'
import { median, quantile } from '../report/statistics.ts'
import type { Bench } from './bench.ts'
import { findChromium } from './find-chromium.ts'

const targetMs = 50

/** When the answer was known. */
interface Known {
  status: string
  /** From the page's load event to the answer; negative where it was known before. */
  afterLoadMs: number
  /** From the navigation's beginning. */
  inAllMs: number
}

/** How soon a page knows whether a member is signed in: a publisher's page with the sign-in file, in a browser without a cache,
 *  with nobody and with a member signed in, in turn with a page that asks a bare route in the same way. */
export async function measureSilentInPage(bench: Bench): Promise<Finding[]> {
  const { options, platform, print, faults } = bench
  const executablePath = findChromium()
  if (!executablePath) {
    print('\nchromium is not installed: silent sign-in in a page is skipped')
    return []
  }
  print(`\nSilent sign-in in a page, ${options.pageLoads} loads of each in turn`)
  const database = new pg.Client({ connectionString: platform.database.url('usher') })
  await database.connect()
  const tokens = await signIn(platform, database, options.pageLoads).finally(() => database.end())
  await using site = await startSite(
    platform.tenant.sitePort,
    `http://${platform.tenant.domain}:${platform.port}`,
  )
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const loads: Record<'bare' | 'nobody' | 'somebody', Known[]> = { bare: [], nobody: [], somebody: [] }
  try {
    for (const token of tokens) {
      loads.bare.push(await takeTime(browser, `${site.url}/bare`))
      loads.nobody.push(await takeTime(browser, `${site.url}/`))
      loads.somebody.push(await takeTime(browser, `${site.url}/`, token))
    }
  } finally {
    await browser.close()
  }
  for (const [which, status] of [
    ['nobody', 'unauthenticated'],
    ['somebody', 'authenticated'],
  ] as const) {
    const others = loads[which].filter(known => known.status !== status).length
    if (others > 0) faults.push(`${others} pages with ${which} signed in had another answer than ${status}`)
  }
  const times = (which: keyof typeof loads) => loads[which].map(({ afterLoadMs }) => afterLoadMs)
  const showTimes = (of: number[]) => `p50 ${show(median(of), 1)} ms, p95 ${show(quantile(of, 0.95), 1)} ms`
  const inAll = (which: keyof typeof loads) => showTimes(loads[which].map(({ inAllMs }) => inAllMs))
  const rival = `a page that asks a bare route: ${showTimes(times('bare'))}`
  return (['nobody', 'somebody'] as const).map(which => {
    const seen = times(which)
    print(`  ${which}: ${showTimes(seen)} after the load; from the navigation on ${inAll(which)}`)
    return {
      what: `silent sign-in: answer known after the page's load, ${which} signed in`,
      target: `p50 ≤ ${targetMs} ms`,
      seen: showTimes(seen),
      ratio: show(
        median(loads[which].map(({ inAllMs }) => inAllMs)) / median(loads.bare.map(({ inAllMs }) => inAllMs)),
        2,
      ),
      rival: `${rival}; the ratio is of the whole time, here ${inAll('bare')}`,
      isMet: median(seen) <= targetMs,
    }
  })
}

/** The publisher's site: a page that asks the tenant, and one that asks a route here that answers at once. */
async function startSite(port: number, tenantUrl: string): Promise<AsyncDisposable & { url: string }> {
  const told = `.then(({ status }) => { window.known = { status, atMs: performance.now() } })`
  const pages: Record<string, string> = {
    '/': `<script src="${tenantUrl}/sdk-sign-in.js"></script><script>usher.silentSignIn({ clientId: '${client.id}' })${told}</script>`,
    '/bare': `<script>fetch('/answer').then(answer => answer.json())${told}</script>`,
  }
  const server = createServer((incoming, response) => {
    const page = pages[incoming.url ?? '']
    response.setHeader('cache-control', 'no-store')
    if (page)
      response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Page</title>${page}<p>Text`)
    else response.setHeader('content-type', 'application/json').end('{"status":"unauthenticated"}')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://news.bench.localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Loads the page in a fresh profile, signed in with the token if there is one. */
async function takeTime(browser: Browser, url: string, token?: string): Promise<Known> {
  const visit = await browser.newContext()
  try {
    if (token !== undefined)
      await visit.addCookies([{ name: '_SERVICET', value: token, domain: '.bench.localhost', path: '/' }])
    const page = await visit.newPage()
    await page.goto(url)
    // Text, as the bench is no page.
    await page.waitForFunction('window.known')
    return (await page.evaluate(`(() => {
      const [{ loadEventStart }] = performance.getEntriesByType('navigation')
      const { status, atMs } = window.known
      return { status, afterLoadMs: atMs - loadEventStart, inAllMs: atMs }
    })()`)) as Known
  } finally {
    await visit.close()
  }
}
