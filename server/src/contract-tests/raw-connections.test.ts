import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ContractPlatform, createContractPlatform } from '../testing/contract/contract-platform.ts'
import { keys } from '../testing/contract/keys.ts'
import { canaries } from '../testing/contract/log-lines.ts'
import { exampleEvent } from '../testing/contract/operations.ts'
import { type RawAnswer, sendRaw } from '../testing/contract/raw-connection.ts'

let platform: ContractPlatform
let port: number
let timeouts: { requestTimeout: number; keepAliveTimeout: number }
beforeAll(async () => {
  platform = await createContractPlatform()
  const { server } = platform.app
  timeouts = { requestTimeout: server.requestTimeout, keepAliveTimeout: server.keepAliveTimeout }
  // The same as in production, but sooner.
  Object.assign(server, { requestTimeout: 400, headersTimeout: 400, connectionsCheckingInterval: 50 })
  await platform.app.listen({ host: '127.0.0.1', port: 0 })
  port = (server.address() as AddressInfo).port
})
afterAll(() => platform.close())
beforeEach(() => platform.reset())

const host = 'host: members.acme.example\r\n'
const key = `authorization: Bearer ${keys.acme}\r\n`
const close = 'connection: close\r\n'
const cookie = `cookie: _SERVICET=${canaries.cookie}\r\n`
const body = JSON.stringify({ events: [exampleEvent] })

const get = (target: string, headers = host) => `GET ${target} HTTP/1.1\r\n${headers}${cookie}${close}\r\n`
const post = (headers: string, content: string) =>
  `POST /api/sdk/events?${canaries.query}=1 HTTP/1.1\r\n${host}${cookie}${close}content-type: text/plain\r\n${headers}\r\n${content}`

/** The form that every refusal has, also the ones that no route gave. */
function expectRefusal(answer: RawAnswer, status: number): void {
  expect([answer.status, answer.body]).toEqual([status, expect.stringMatching(/^{"message":"[^{}"]+\."/)])
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)))
  expect(answer.headers['x-request-id']).toMatch(/^[\w-]{12,}$/)
  expect(answer.body).not.toMatch(/FST_|HPE_|\.ts|node:|statusCode/)
}

describe('what is not HTTP, or not enough of it (threats, "API")', () => {
  test.for([
    ['garbage', 'lorem ipsum dolor\r\n\r\n', 400],
    ['the hello of TLS', Buffer.from('16030100a0010000', 'hex'), 400],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a method that there is not', `FETCH /livez HTTP/1.1\r\n${host}${close}\r\n`, 400],
    ['a lower-case method', `get /livez HTTP/1.1\r\n${host}${close}\r\n`, 400],
    ['an address without a slash', get('@evil.example/sdk.js'), 400],
    ['a space in the address', get('/li vez'), 400],
    ['a line break in a header', get('/livez', `${host}x: a\rb\r\n`), 400],
    ['a NUL in a header', get('/livez', `${host}x: a\0b\r\n`), 400],
    ['a header without a name', get('/livez', `${host}: a\r\n`), 400],
    ['a header with a space in its name', get('/livez', `${host}content-length : 0\r\n`), 400],
    ['an address of 20,000 characters', get(`/${'x'.repeat(20_000)}`), 431],
    ['a query of 20,000 characters', get(`/api/platform/events?limit=${'1'.repeat(20_000)}`), 431],
    ['a header of 20,000 characters', get('/livez', `${host}x: ${'x'.repeat(20_000)}\r\n`), 431],
    ['3,000 headers', get('/livez', host + 'a: b\r\n'.repeat(3_000)), 431],
    [
      'a key of 20,000 characters',
      get('/api/platform/events', `${host}authorization: Bearer ${'x'.repeat(20_000)}\r\n`),
      431,
    ],
    ['a Content-Length that is no number', post('content-length: abc\r\n', body), 400],
    ['a negative Content-Length', post('content-length: -1\r\n', body), 400],
    ['a Content-Length with a sign', post(`content-length: +${body.length}\r\n`, body), 400],
    ['two lengths', post(`content-length: ${body.length}\r\ncontent-length: 2\r\n`, body), 400],
    [
      'a length and chunks',
      post('content-length: 2\r\ntransfer-encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
      400,
    ],
    ['a chunk whose size is no number', post('transfer-encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'), 400],
    [
      'a chunk that is longer than it says',
      post('transfer-encoding: chunked\r\n', '1\r\n{}\r\n0\r\n\r\n'),
      400,
    ],
    ['an encoding that there is not', post('transfer-encoding: gzip\r\n', body), 400],
    ['a body that goes on past its length', post(`content-length: ${body.length - 1}\r\n`, body), 400],
    ['percent-encoding that is none', get('/api/%zz'), 400],
    ['percent-encoding that is cut off', get('/api/platform/%'), 400],
    ['percent-encoding that is not UTF-8', get('/api/%ff%fe'), 400],
    ['percent-encoding of a lone surrogate', get('/api/%ed%a0%80'), 400],
  ] as const)('%s is refused like every mistake', async ([, sent, status]) => {
    expectRefusal(await sendRaw(port, [sent]), status)
    expect(await platform.changes()).toEqual([])
  })

  test.for([
    ['without a Host', '', '/livez'],
    ['with two', host + host, '/livez'],
    [
      'with two, one of another tenant, whatever their case',
      `${host}HOST: members.globe.example\r\n`,
      '/livez',
    ],
    ['with none but in its target', '', 'http://members.acme.example/livez'],
    ['with two beside the one in its target', host + host, 'http://members.acme.example/livez'],
    ['without a Host, to nowhere', '', '/nothing'],
  ] as const)('a request %s is refused (RFC 9112 3.2)', async ([, hosts, target]) => {
    const answer = await sendRaw(port, [get(target, hosts)])
    expectRefusal(answer, 400)
    expect(answer.body).toMatch(/Host header/)
  })

  test('a request of HTTP/1.0 without a Host is served where no host is needed', async () => {
    const old = (path: string) => sendRaw(port, [`GET ${path} HTTP/1.0\r\n${key}\r\n`])
    expect(await old('/livez')).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    expectRefusal(await old('/api/platform/events'), 404)
    expectRefusal(await old('/api/v1/landlord/tenants'), 404)
    expectRefusal(await old('/sdk.js'), 404)
  })

  test('an expectation that nobody can meet is 417, and 100-continue is met', async () => {
    const sent = (expectation: string) =>
      sendRaw(port, [post(`expect: ${expectation}\r\ncontent-length: ${body.length}\r\n`, body)])
    expectRefusal(await sent('a-miracle'), 417)
    expect(await platform.changes()).toEqual([])
    expect((await sent('100-continue')).status).toBe(202)
  })

  test('CONNECT is not answered, an upgrade is not made', async () => {
    expect((await sendRaw(port, [`CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`])).status).toBe(0)
    const upgrade = `GET /livez HTTP/1.1\r\n${host}connection: close, upgrade\r\nupgrade: websocket\r\n\r\n`
    expect((await sendRaw(port, [upgrade])).status).toBe(200)
  })
})

describe('a request target in absolute form, as a proxy sends it (RFC 9112 3.2.2)', () => {
  test.for([
    ['members.acme.example', [200, 404, 200, 200]],
    ['members.globe.example', [403, 404, 403, 200]],
    ['members.gone.example', [403, 404, 403, 403]],
    ['platform.localhost:3000', [200, 401, 200, 404]],
    ['user@accounts.acme.example', [200, 404, 200, 302]],
    ['evil.example', [404, 404, 404, 404]],
  ] as const)('is for its own host, %s, and not for that of the header', async ([other, statuses]) => {
    const paths = ['/api/platform/events', '/api/v1/landlord/tenants', '/api/v1/health', '/sdk.js']
    for (const [at, path] of paths.entries()) {
      const answer = await sendRaw(port, [get(`http://${other}${path}`, host + key)])
      expect([path, answer.status]).toEqual([path, statuses[at]])
      expect(answer.body).not.toContain('session-of-globe')
    }
    expect(await platform.changes()).toEqual([])
  })
})

describe('an address that is written in another way (threats, "API")', () => {
  const protectedPaths = [
    '/api/platform/events',
    '/api/v1/health',
    '/api/v1/landlord/tenants',
    '/api/v1/landlord/health',
  ]
  const ways: [string, (path: string) => string][] = [
    ['with a second slash before it', path => `/${path}`],
    ['with a second slash in it', path => path.replace('/api/', '/api//')],
    ['with a slash after it', path => `${path}/`],
    ['with a folder that is left again', path => `/x/..${path}`],
    ['with a dot', path => path.replace('/api/', '/api/./')],
    ['with encoded dots', path => `/x/%2e%2e${path}`],
    ['from the root of nothing', path => `/..${path}`],
    ['with an encoded slash', path => path.replace('/api/', '/api%2f')],
    ['with a backslash', path => path.replace('/api/', '/api\\')],
    ['with an encoded letter', path => path.replace('/api/', '/%61pi/')],
    ['with a letter that is encoded twice', path => path.replace('/api/', '/%2561pi/')],
    ['in capitals', path => path.toUpperCase()],
    ['with a NUL after it', path => `${path}%00`],
    ['with a line break after it', path => `${path}%0d%0aX-Injected:%201`],
    ['with a matrix parameter', path => `${path};x=1`],
    ['with a fragment', path => `${path}#x`],
    ['with the suffix of a file', path => `${path}.json`],
  ]
  test.for(ways)('%s needs the same key, or does not exist', async ([, write]) => {
    for (const path of protectedPaths)
      for (const at of [host, 'host: platform.localhost\r\n']) {
        const answer = await sendRaw(port, [get(write(path), at)])
        expect([path, answer.status]).toEqual([
          path,
          expect.toSatisfy(status => status === 401 || status === 404),
        ])
        expect(answer.headers).not.toHaveProperty('x-injected')
      }
  })

  test('at an alias leads nowhere but to the canonical domain', async () => {
    for (const [target, expected] of [
      ['/sdk.js', 302],
      ['/sdk.js?x=//evil.example', 302],
      ['/sdk.js#//evil.example', 302],
      ['http://accounts.acme.example/sdk.js', 302],
      ['//evil.example/sdk.js', 404],
      ['http://evil.example/sdk.js', 404],
    ] as const) {
      const { status, headers } = await sendRaw(port, [get(target, 'host: accounts.acme.example\r\n')])
      expect([target, status]).toEqual([target, expected])
      if (status === 302) expect(new URL(headers.location ?? '').host).toBe('members.acme.example')
    }
  })
})

describe('a header that is sent twice', () => {
  test('Idempotency-Key is refused', async () => {
    const twice = 'idempotency-key: a\r\nidempotency-key: b\r\n'
    const sent = `DELETE /api/platform/events?count=1 HTTP/1.1\r\n${host}${key}${twice}${close}\r\n`
    expectRefusal(await sendRaw(port, [sent]), 422)
    expect(await platform.changes()).toEqual([])
  })

  test('Authorization never opens more than its first', async () => {
    const answer = async (first: string, second: string) => {
      const both = `authorization: Bearer ${first}\r\nauthorization: Bearer ${second}\r\n`
      return (await sendRaw(port, [get('/api/platform/events?limit=1', host + both)])).status
    }
    expect(await answer(keys.unknown, keys.acme)).toBe(401)
    expect(await answer(keys.acme, keys.unknown)).toBe(200)
  })
})

describe('a body', () => {
  test.for(['/api/platform/events', '/api/platform/heartbeats'])(
    'that DELETE %s does not have may have a media type',
    async path => {
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'nonsense'])
        for (const length of ['', 'content-length: 0\r\n']) {
          await platform.reset()
          const headers = `${host}${key}${close}content-type: ${type}\r\n${length}`
          const answer = await sendRaw(port, [`DELETE ${path}?count=1 HTTP/1.1\r\n${headers}\r\n`])
          expect([type, answer.status, answer.body]).toEqual([type, 204, ''])
          expect(await platform.changes()).toEqual(['UPDATE queue_heads'])
        }
    },
  )

  test('that announces more than the limit is refused before it is sent', async () => {
    const answer = await sendRaw(port, [post('content-length: 99999999999\r\n', '{')])
    expectRefusal(answer, 413)
  })

  test('of chunks that add up to more than the limit is refused when it passes it', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const answer = await sendRaw(port, [
      post('transfer-encoding: chunked\r\n', ''),
      ...Array.from({ length: 40 }, () => chunk),
    ])
    expectRefusal(answer, 413)
    expect(await platform.changes()).toEqual([])
  })

  test('that is sent in single bytes is taken', async () => {
    const small = JSON.stringify({
      events: [{ type: 'page_view', session_id: 's', url: 'https://a.example/', event_sequence: 0 }],
    })
    const answer = await sendRaw(port, [post(`content-length: ${small.length}\r\n`, ''), ...small], {
      pauseMs: 1,
    })
    expect([answer.status, answer.body]).toEqual([202, '{"accepted":1,"duplicates":0,"rejected":[]}'])
  })
})

describe('what does not arrive', () => {
  test.for([
    ['nothing at all', ['']],
    ['an address without an end', ['GET /livez']],
    ['headers without an end', [`GET /livez HTTP/1.1\r\n${host}`]],
    [
      'headers that come for ever',
      [`GET /livez HTTP/1.1\r\n${host}`, ...Array.from({ length: 40 }, () => 'x: y\r\n')],
    ],
    ['a body that never begins', [post('content-length: 200\r\n', '')]],
    ['a body that stops', [post('content-length: 200\r\n', '{"events":[')]],
    ['a body of drops', [post('content-length: 200\r\n', ''), ...Array.from({ length: 40 }, () => ' ')]],
    [
      'chunks without an end',
      [post('transfer-encoding: chunked\r\n', ''), ...Array.from({ length: 40 }, () => '1\r\n \r\n')],
    ],
  ] as const)('%s is 408, and the connection is closed', async ([, pieces]) => {
    const answer = await sendRaw(port, pieces, { pauseMs: 40 })
    expectRefusal(answer, 408)
    expect(answer.ms).toBeLessThan(2_000)
    expect(await platform.changes()).toEqual([])
  })

  test('in production has 30 seconds, and an idle connection 75', () => {
    expect(timeouts).toEqual({ requestTimeout: 30_000, keepAliveTimeout: 75_000 })
  })

  test('leaves the service well: a hundred such connections, and it answers at once', async () => {
    const slow = Promise.all(
      Array.from({ length: 100 }, () => sendRaw(port, [post('content-length: 200\r\n', '{')])),
    )
    expect((await sendRaw(port, [get('/livez')])).status).toBe(200)
    for (const { status } of await slow) expect(status).toBe(408)
    expect((await sendRaw(port, [get('/api/platform/events?limit=1', host + key)])).status).toBe(200)
  })

  test('is not blamed on the database', () => {
    expect(platform.lines.filter(line => line.includes('database'))).toEqual([])
  })
})

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(platform.linesWithSecrets()).toEqual([])
})
