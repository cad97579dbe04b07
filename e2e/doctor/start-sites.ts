import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Sites {
  port: number
  /** Below `.localhost` any name leads here, in a browser. */
  originOf(host: string): string
  close(): Promise<void>
}

/** What pages of the sites say to whoever opened them, by path, beside `/`, which carries the SDK's sign-in file. */
const others: Record<string, string> = {
  '/silent': '',
  '/other-client':
    "<script>opener.postMessage({ type: 'usher-check', clientId: 'other', outcome: 'authenticated', hasCookie: true }, '*')</script>",
  '/other-word':
    "<script>opener.postMessage({ type: 'usher-check', clientId: 'partner', outcome: 'pop_up_blocked', hasCookie: true }, '*')</script>",
  '/other-type':
    "<script>opener.postMessage(null, '*'); opener.postMessage({ type: 'other', clientId: 'partner', outcome: 'authenticated', hasCookie: true }, '*')</script>",
  '/limited':
    "<script>opener.postMessage({ type: 'usher-check', clientId: 'partner', outcome: 'limited', hasCookie: true }, '*')</script>",
}

/** Sites of publishers, at any host. `tenantOf` answers the origin of the tenant that the pages of a host ask. */
export async function startSites(tenantOf: (host: string) => string): Promise<Sites> {
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    const { pathname } = new URL(request.url ?? '/', 'http://x.localhost')
    const script = others[pathname] ?? `<script async src="${tenantOf(host)}/sdk-sign-in.js"></script>`
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (pathname === '/apart') response.setHeader('cross-origin-opener-policy', 'same-origin')
    response.end(
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>News</title>${script}<h1>News</h1></html>`,
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    originOf: host => `http://${host}:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
