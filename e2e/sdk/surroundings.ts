import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startBrowser } from '../browser.ts'
import { startPlatform } from '../start-platform.ts'
import { startProgram } from '../start-program.ts'
import type { Surroundings } from './open-reader.ts'
import { startRoad } from './start-road.ts'

/** A site whose every page has this in its head: its address. */
async function startPlainSite(head: string, stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><title>Page</title>${head}<p>Text`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return `http://plain.acme.localhost:${(server.address() as AddressInfo).port}`
}

export interface StartedSurroundings extends Surroundings, AsyncDisposable {
  scriptUrl: string
  /** A site whose every page has this in its head. */
  openSite(head: string): Promise<string>
}

/** A platform, a site whose script sends by way of a road that can be spoilt, and the browser at this path. */
export async function startSurroundings(chromium: string): Promise<StartedSurroundings> {
  await using stack = new AsyncDisposableStack()
  const road = await startRoad()
  stack.defer(road.close)
  // Its script sends to the address that the platform believes to have.
  const platform = await startPlatform({
    USHER_PUBLIC_URL: `http://platform.localhost:${road.port}`,
    USHER_COLLECT_PER_MINUTE: '0',
  })
  stack.defer(platform.close)
  road.leadTo(platform.port)
  const tenantUrl = platform.tenantUrl.replace(`:${platform.port}`, `:${road.port}`)
  const site = startProgram('examples/publisher-site/main.ts', {
    SITE_PORT: '0',
    USHER_TENANT_URL: tenantUrl,
  })
  stack.defer(async () => void (await site.end()))
  const news = (await site.line(/http:\S+/))[0]
  const browser = await startBrowser(chromium)
  stack.defer(() => browser.close())
  const rest = stack.move()
  return {
    road,
    platform,
    news,
    scriptUrl: `${tenantUrl}/sdk.js`,
    browser,
    openSite: head => startPlainSite(head, rest),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  }
}
