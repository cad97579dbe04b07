import { describe, expect, test } from 'vitest'
import { keys } from '../testing/contract/keys.ts'
import {
  close,
  expectRefusal,
  get,
  host,
  key,
  useRawConnections,
} from '../testing/contract/use-raw-connections.ts'

const raw = useRawConnections()
const { send } = raw

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
      const answer = await send([get(`http://${other}${path}`, host + key)])
      expect([path, answer.status]).toEqual([path, statuses[at]])
      expect(answer.body).not.toContain('session-of-globe')
    }
    expect(await raw.platform.changes()).toEqual([])
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
        const answer = await send([get(write(path), at)])
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
      const { status, headers } = await send([get(target, 'host: accounts.acme.example\r\n')])
      expect([target, status]).toEqual([target, expected])
      if (status === 302) expect(new URL(headers.location ?? '').host).toBe('members.acme.example')
    }
  })
})

describe('a header that is sent twice', () => {
  test('Idempotency-Key is refused', async () => {
    const twice = 'idempotency-key: a\r\nidempotency-key: b\r\n'
    const sent = `DELETE /api/platform/events?count=1 HTTP/1.1\r\n${host}${key}${twice}${close}\r\n`
    expectRefusal(await send([sent]), 422)
    expect(await raw.platform.changes()).toEqual([])
  })

  test('Authorization never opens more than its first', async () => {
    const answer = async (first: string, second: string) => {
      const both = `authorization: Bearer ${first}\r\nauthorization: Bearer ${second}\r\n`
      return (await send([get('/api/platform/events?limit=1', host + both)])).status
    }
    expect(await answer(keys.unknown, keys.acme)).toBe(401)
    expect(await answer(keys.acme, keys.unknown)).toBe(200)
  })
})

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(raw.platform.linesWithSecrets()).toEqual([])
})
