import { describe, expect, test } from 'vitest'
import { exampleEvent } from '../testing/contract/operations.ts'
import {
  close,
  expectRefusal,
  get,
  host,
  key,
  post,
  useRawConnections,
} from '../testing/contract/use-raw-connections.ts'

const raw = useRawConnections()
const { send } = raw
const body = JSON.stringify({ events: [exampleEvent] })

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
    expectRefusal(await send([sent]), status)
    expect(await raw.platform.changes()).toEqual([])
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
    const answer = await send([get(target, hosts)])
    expectRefusal(answer, 400)
    expect(answer.body).toMatch(/Host header/)
  })

  test('a request of HTTP/1.0 without a Host is served where no host is needed', async () => {
    const old = (path: string) => send([`GET ${path} HTTP/1.0\r\n${key}\r\n`])
    expect(await old('/livez')).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    expectRefusal(await old('/api/platform/events'), 404)
    expectRefusal(await old('/api/v1/landlord/tenants'), 404)
    expectRefusal(await old('/sdk.js'), 404)
  })

  test('an expectation that nobody can meet is 417, and 100-continue is met', async () => {
    const sent = (expectation: string) =>
      send([post(`expect: ${expectation}\r\ncontent-length: ${body.length}\r\n`, body)])
    expectRefusal(await sent('a-miracle'), 417)
    expect(await raw.platform.changes()).toEqual([])
    expect((await sent('100-continue')).status).toBe(202)
  })

  test('CONNECT is not answered, an upgrade is not made', async () => {
    expect((await send([`CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`])).status).toBe(0)
    const upgrade = `GET /livez HTTP/1.1\r\n${host}connection: close, upgrade\r\nupgrade: websocket\r\n\r\n`
    expect((await send([upgrade])).status).toBe(200)
  })
})

describe('a body', () => {
  test.for(['/api/platform/events', '/api/platform/heartbeats'])(
    'that DELETE %s does not have may have a media type',
    async path => {
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'nonsense'])
        for (const length of ['', 'content-length: 0\r\n']) {
          await raw.platform.reset()
          const headers = `${host}${key}${close}content-type: ${type}\r\n${length}`
          const answer = await send([`DELETE ${path}?count=1 HTTP/1.1\r\n${headers}\r\n`])
          expect([type, answer.status, answer.body]).toEqual([type, 204, ''])
          expect(await raw.platform.changes()).toEqual(['UPDATE queue_heads'])
        }
    },
  )

  test('that announces more than the limit is refused before it is sent', async () => {
    const answer = await send([post('content-length: 99999999999\r\n', '{')])
    expectRefusal(answer, 413)
  })

  test('of chunks that add up to more than the limit is refused when it passes it', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const answer = await send([
      post('transfer-encoding: chunked\r\n', ''),
      ...Array.from({ length: 40 }, () => chunk),
    ])
    expectRefusal(answer, 413)
    expect(await raw.platform.changes()).toEqual([])
  })

  test('that is sent in single bytes is taken', async () => {
    const small = JSON.stringify({
      events: [{ type: 'page_view', session_id: 's', url: 'https://a.example/', event_sequence: 0 }],
    })
    const answer = await send([post(`content-length: ${small.length}\r\n`, ''), ...small], {
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
    const answer = await send(pieces, { pauseMs: 40 })
    expectRefusal(answer, 408)
    expect(answer.ms).toBeLessThan(2_000)
    expect(await raw.platform.changes()).toEqual([])
  })

  test('in production has 30 seconds, and an idle connection 75', () => {
    expect(raw.timeouts).toEqual({ requestTimeout: 30_000, keepAliveTimeout: 75_000 })
  })

  test('leaves the service well: a hundred such connections, and it answers at once', async () => {
    const slow = Promise.all(Array.from({ length: 100 }, () => send([post('content-length: 200\r\n', '{')])))
    expect((await send([get('/livez')])).status).toBe(200)
    for (const { status } of await slow) expect(status).toBe(408)
    expect((await send([get('/api/platform/events?limit=1', host + key)])).status).toBe(200)
  })

  test('is not blamed on the database', () => {
    expect(raw.platform.lines.filter(line => line.includes('database'))).toEqual([])
  })
})

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(raw.platform.linesWithSecrets()).toEqual([])
})
