import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../server/src/testing/needs-program.ts'
import { acme } from './apply-tenants.ts'
import { type DeclaredPlatform, startDeclaredPlatform } from './start-declared-platform.ts'
import { findPort } from './start-program.ts'
import { nginxAround, startProxy } from './start-proxy.ts'

const names = {
  'platform.example.com': 'platform.localhost',
  'members.example.com': acme.domain,
  'accounts.example.com': 'accounts.acme.localhost',
}
const READER_KEY = 'test-key-of-a-reader-of-acme-of-32-characters'
/** Another address than the proxy's own calls come from, where the system has one for the asking. */
const visitor = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'

/** An example, for this machine's names in place of its own. */
const example = (file: string) =>
  Object.entries(names).reduce(
    (text, [written, here]) => text.replaceAll(written, here),
    readFileSync(new URL(`../examples/tls-proxy/${file}`, import.meta.url), 'utf8'),
  )

interface Ports {
  tls: number
  plain: number
  usher: number
}

/** How each proxy is started with its example. */
const proxies = {
  nginx(folder: string, { tls, plain, usher }: Ports): string[] {
    const servers = example('nginx.conf')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${tls} ssl;`)
      .replaceAll('/etc/ssl/usher', folder)
      .replace('127.0.0.1:3000', `127.0.0.1:${usher}`)
    writeFileSync(join(folder, 'nginx.conf'), nginxAround(folder, servers))
    return ['-p', folder, '-c', join(folder, 'nginx.conf')]
  },
  caddy(folder: string, { tls, plain, usher }: Ports): string[] {
    const here = `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port ${plain}\n\thttps_port ${tls}\n}\n`
    const site = example('Caddyfile')
      .replace('127.0.0.1:3000', `127.0.0.1:${usher}`)
      // Certificates that no authority has to be asked for.
      .replace(' {\n', ` {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem\n`)
    writeFileSync(join(folder, 'Caddyfile'), here + site)
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
  },
}

describe.skipIf(needsProgram('openssl'))('TLS in front of Usher', () => {
  let folder: string
  let ports: Ports
  let platform: DeclaredPlatform

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'usher-tls-'))
    ports = { tls: await findPort(), plain: await findPort(), usher: await findPort() }
    const subjects = Object.values(names).map(name => `DNS:${name}`)
    execFileSync(
      findProgram('openssl') ?? '',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
        ],
        ...['-subj', '/CN=usher', '-addext', `subjectAltName=${subjects}`],
        ...['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')],
      ],
      { stdio: 'ignore' },
    )
    platform = await startDeclaredPlatform(
      ports.usher,
      [
        {
          ...acme,
          aliases: ['accounts.acme.localhost'],
          flags: ['UseQueueEvents'],
          staff: [{ email: 'reader@acme.example', role: 'administrator' }],
          keys: [{ name: 'reader', user: 'reader@acme.example', token: READER_KEY }],
          events: { shorten_addresses: false },
        },
      ],
      {
        USHER_PUBLIC_URL: `https://platform.localhost:${ports.tls}`,
        USHER_HOST: '127.0.0.1',
        USHER_TRUST_PROXY: '127.0.0.1',
      },
    )
  })
  afterAll(async () => {
    await platform.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function send(
    address: string,
    { method = 'GET', headers = {} as Record<string, string>, body = '' } = {},
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
    const { protocol, hostname, host, port, pathname, search } = new URL(address)
    const options = { method, path: pathname + search, port, host: '127.0.0.1', agent: false } as const
    const all = { ...options, localAddress: visitor, headers: { host, ...headers } }
    const ca = readFileSync(join(folder, 'fullchain.pem'))
    return new Promise((resolve, reject) => {
      const sent =
        protocol === 'https:' ? requestHttps({ ...all, ca, servername: hostname }) : requestHttp(all)
      sent.on('error', reject).on('response', async response => {
        const answer = (await response.toArray()).join('')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer })
      })
      sent.end(body)
    })
  }
  const tenant = () => `https://${acme.domain}:${ports.tls}`

  describe.each(['nginx', 'caddy'] as const)('by %s', name => {
    describe.skipIf(needsProgram(name))('as its example says', () => {
      let stop: () => Promise<void>
      beforeAll(async () => {
        stop = await startProxy(findProgram(name) ?? '', proxies[name](folder, ports), {
          folder,
          port: ports.tls,
        })
      })
      afterAll(() => stop())

      test('the tenant answers at its https address, and calls itself by it', async () => {
        const { status, body } = await send(`${tenant()}/.well-known/openid-configuration`)
        expect([status, JSON.parse(body).issuer]).toEqual([200, tenant()])
      })

      test('an alias leads to the canonical domain, and http to https', async () => {
        const { status, headers } = await send(`https://accounts.acme.localhost:${ports.tls}/account?a=1`)
        expect([status, headers.location]).toEqual([302, `${tenant()}/account?a=1`])
        const plain = await send(`http://${acme.domain}:${ports.plain}/account?a=1`)
        expect(plain.status).toBe(308)
        // Without its port, as both are at the usual ones outside of tests.
        expect(plain.headers.location).toMatch(/^https:\/\/members\.acme\.localhost(?::\d+)?\/account\?a=1$/)
      })

      test('Usher sees the visitor’s address, and not what the visitor wrote there', async () => {
        const event = {
          type: `seen_${name}`,
          session_id: 's1',
          url: 'https://news.example/',
          event_sequence: 0,
        }
        const { status } = await send(`${tenant()}/api/sdk/events`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain', 'x-forwarded-for': '203.0.113.9' },
          body: JSON.stringify({ events: [event] }),
        })
        expect(status).toBe(202)
        const queue = await send(`https://platform.localhost:${ports.tls}/api/platform/events`, {
          headers: { authorization: `Bearer ${READER_KEY}` },
        })
        const events: { type: string; ip_address: string }[] = JSON.parse(queue.body).data.events
        expect(events.filter(({ type }) => type === event.type).map(seen => seen.ip_address)).toEqual([
          visitor,
        ])
      })
    })
  })
})
