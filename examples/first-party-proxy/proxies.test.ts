import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findPort } from '../../e2e/start-program.ts'
import { nginxAround, startProxy } from '../../e2e/start-proxy.ts'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'

const example = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** A tenant's domain that records what it is sent. */
async function startTenant(seen: Seen[], cuts: { next: boolean }): Promise<Server> {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = '', url = '', headers } = incoming
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    if (cuts.next) return void incoming.socket.destroy()
    if (headers['if-none-match'] === '"a"') return void response.writeHead(304, { etag: '"a"' }).end()
    response.writeHead(method === 'POST' ? 503 : 200, {
      'retry-after': '7',
      etag: '"a"',
      'cache-control': 'public, max-age=300',
      'content-location': '/sdk-a.js',
    })
    response.end('answer')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** How each proxy is started with its example, whose tenant has two addresses here, as a retry would need. */
const proxies = {
  nginx(folder: string, port: number, tenants: number[]): string[] {
    const locations = example('nginx.conf').replaceAll('https://members', 'http://members')
    writeFileSync(
      join(folder, 'nginx.conf'),
      nginxAround(
        folder,
        `upstream members.example.com { ${tenants.map(tenant => `server 127.0.0.1:${tenant};`).join(' ')} }
        server { listen 127.0.0.1:${port}; location / { return 404; } ${locations} }`,
      ),
    )
    return ['-p', folder, '-c', join(folder, 'nginx.conf')]
  },
  caddy(folder: string, port: number, tenants: number[]): string[] {
    const addresses = tenants.map(tenant => `http://127.0.0.1:${tenant}`).join(' ')
    const site = example('Caddyfile')
      .replace('https://members.example.com', addresses)
      .replace('news.example.com {', `http://127.0.0.1:${port} {`)
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
  },
}

describe.each(['nginx', 'caddy'] as const)('the first-party path by %s', name => {
  describe.skipIf(needsProgram(name))('as its example says', () => {
    const seen: Seen[] = []
    const cuts = { next: false }
    let folder: string
    let tenants: Server[]
    let stop: () => Promise<void>
    let port: number

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'usher-proxy-'))
      tenants = [await startTenant(seen, cuts), await startTenant(seen, cuts)]
      port = await findPort()
      const tenantPorts = tenants.map(server => (server.address() as AddressInfo).port)
      stop = await startProxy(findProgram(name) ?? '', proxies[name](folder, port, tenantPorts), {
        folder,
        port,
      })
    })
    afterAll(async () => {
      await stop()
      for (const server of tenants) {
        server.closeAllConnections()
        server.close()
      }
      rmSync(folder, { recursive: true, force: true })
    })
    beforeEach(() => {
      seen.length = 0
      cuts.next = false
    })

    function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
      return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>(
        (resolve, reject) => {
          const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, answer => {
            const chunks: Buffer[] = []
            answer.on('data', chunk => chunks.push(chunk))
            answer.on('error', reject)
            answer.on('end', () =>
              resolve({
                status: answer.statusCode ?? 0,
                headers: answer.headers,
                body: Buffer.concat(chunks).toString(),
              }),
            )
          })
          sent.on('error', reject)
          sent.end(body)
        },
      )
    }

    const fromBrowser = {
      cookie: 'session=of-this-site',
      authorization: 'Basic c2VjcmV0',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'user-agent': 'a browser',
    }

    test('brings events to the tenant, with the reader’s address and nothing of theirs beside', async () => {
      const body = JSON.stringify({ events: [{ id: '1' }], sent_at: '2026-11-21T08:30:00.000Z' })
      const answer = await send('POST', '/news/e', { ...fromBrowser, 'content-type': 'text/plain' }, body)
      expect([answer.status, answer.headers['retry-after'], answer.body]).toEqual([503, '7', 'answer'])
      expect(seen).toHaveLength(1)
      expect(seen[0]).toMatchObject({ method: 'POST', url: '/api/sdk/events', body })
      expect(seen[0]?.headers).toMatchObject({
        host: 'members.example.com',
        'x-forwarded-for': '127.0.0.1',
        'user-agent': 'a browser',
        'content-type': 'text/plain',
      })
      expect(seen[0]?.headers).not.toHaveProperty('cookie')
      expect(seen[0]?.headers).not.toHaveProperty('authorization')
    })

    test('tries nothing again: neither an answer of 503 nor a connection that breaks', async () => {
      cuts.next = true
      expect((await send('POST', '/news/e', {}, '{}')).status).toBe(502)
      expect(seen).toHaveLength(1)
    })

    test('brings the script, and what a browser needs to keep it', async () => {
      const answer = await send('GET', '/news/u.js', fromBrowser)
      expect([answer.status, answer.body]).toEqual([200, 'answer'])
      expect(answer.headers).toMatchObject({ etag: '"a"', 'cache-control': 'public, max-age=300' })
      expect(answer.headers).not.toHaveProperty('content-location')
      expect(seen[0]).toMatchObject({
        method: 'GET',
        url: '/sdk.js',
        headers: { host: 'members.example.com' },
      })
      expect(seen[0]?.headers).not.toHaveProperty('cookie')
      expect((await send('GET', '/news/u.js', { 'if-none-match': '"a"' })).status).toBe(304)
    })

    test.for([
      ['GET', '/news/e'],
      ['POST', '/news/u.js'],
      ['GET', '/api/platform/events'],
      ['DELETE', '/news/e?count=1'],
      ['POST', '/news/e/x'],
    ] as const)('brings nothing else: %s %s', async ([method, path]) => {
      expect((await send(method, path, {}, method === 'GET' ? undefined : '{}')).status).toBeOneOf([403, 404])
      expect(seen).toEqual([])
    })

    // Caddy leaves it to the tenant: its own refusal would be a 502, which a page tries again.
    if (name === 'nginx')
      test('refuses what the tenant would refuse for its size', async () => {
        const { status } = await send('POST', '/news/e', {}, 'x'.repeat(300 * 1024))
        expect(status).toBe(413)
      })
  })
})
