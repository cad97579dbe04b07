import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWholePlatform, type WholePlatform } from '../testing/whole-platform.ts'
import { createScripts, isKnown, takesGzip } from './script.ts'

let platform: WholePlatform
beforeAll(async () => {
  platform = await createWholePlatform({
    USHER_PUBLIC_URL: 'https://platform.localhost:8443',
    USHER_COOKIE_NAME: '_acme.session',
  })
})
afterAll(() => platform.close())

const get = (url: string, headers: Record<string, string> = {}, host = 'members.acme.example') =>
  platform.request(host, { url, headers })
const scripts = [
  { name: 'sdk', maxBytes: 5000 },
  { name: 'sdk-sign-in', maxBytes: 3000 },
]

const anyPage = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

describe.for(scripts)('GET the script $name', ({ name, maxBytes }) => {
  const url = `/${name}.js`
  test('knows the canonical domain, so that a page that names an alias sends there, and the cookie', async () => {
    const answer = await get(url)
    const hash = createHash('sha256').update(answer.body).digest('base64url').slice(0, 22)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      ...anyPage,
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.body)),
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
      'content-location': `/${name}-${hash}.js`,
      etag: `"${hash}"`,
      vary: 'accept-encoding',
    })
    expect(answer.body).toContain('https://members.acme.example:8443')
    expect(answer.body).toContain('_acme.session')
    expect(answer.body).not.toContain('{{')
    const alias = await get(`${url}?v=1`, {}, 'accounts.acme.example')
    expect([alias.statusCode, alias.headers.location]).toEqual([
      302,
      `https://members.acme.example:8443${url}?v=1`,
    ])
  })

  test('is packed for whom it may be, under an ETag of its own', async () => {
    const plain = await get(url)
    const packed = await get(url, { 'accept-encoding': 'gzip, deflate, br' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(packed.rawPayload.length).toBeLessThanOrEqual(maxBytes)
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body)
    expect(packed.headers.etag).not.toBe(plain.headers.etag)
    expect(packed.headers['content-location']).toBe(plain.headers['content-location'])
  })

  test.for([{}, { 'accept-encoding': 'gzip' }])(
    'is not sent again when it has not changed, %j',
    async headers => {
      const first = await get(url, headers)
      const again = await get(url, { ...headers, 'if-none-match': String(first.headers.etag) })
      expect([again.statusCode, again.body]).toEqual([304, ''])
      const { etag, vary, 'cache-control': cacheControl, 'content-location': location } = first.headers
      expect(again.headers).toMatchObject({
        ...anyPage,
        etag,
        vary,
        'cache-control': cacheControl,
        'content-location': location,
      })
      expect(again.headers).not.toHaveProperty('content-encoding')
      const other = await get(url, { 'if-none-match': String(first.headers.etag) }, 'members.globe.example')
      expect(other.statusCode).toBe(200)
    },
  )
})

describe.for(scripts)('GET /$name-{hash}.js', ({ name }) => {
  const url = `/${name}.js`
  test('is the same script, to be kept for a year', async () => {
    const { headers, body } = await get(url)
    const copy = await get(String(headers['content-location']))
    expect([copy.statusCode, copy.body]).toEqual([200, body])
    expect(copy.headers).toMatchObject({
      ...anyPage,
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      etag: headers.etag,
    })
    const again = await get(String(headers['content-location']), { 'if-none-match': `W/${headers.etag}` })
    expect([again.statusCode, again.headers['cache-control']]).toEqual([
      304,
      'public, max-age=31536000, immutable',
    ])
  })

  test.for(['x', 'mPm0pVsTwS9KCfhqWVhCcA', '-gn-in-m0pVsTwS9KCfhqW'])(
    'of another version leads to the script that there is: %s',
    async hash => {
      const { statusCode, headers, body } = await get(`/${name}-${hash}.js`)
      expect([statusCode, headers.location, headers['cache-control'], body]).toEqual([
        302,
        url,
        'public, max-age=300',
        '',
      ])
      expect(headers).toMatchObject(anyPage)
    },
  )
})

describe('GET /sdk-sign-in.js', () => {
  const body = async () => (await get('/sdk-sign-in.js')).body
  test('knows the Cookie Domain, from the moment that it is changed', async () => {
    expect(await body()).not.toContain('"acme.example"')
    await platform.apply(
      'tenants: [{ slug: acme, name: Acme Daily, domain: members.acme.example, cookie_domain: acme.example }]',
    )
    await expect.poll(body).toContain('"acme.example"')
  })
})

describe('a script', () => {
  test('is made once for the same values, and takes them as they are', () => {
    const scriptOf = createScripts("'{{tenant_origin}}','{{cookie_name}}','{{other}}'")
    const values = { tenant_origin: 'https://$&.example', cookie_name: "$&'$1" }
    const script = scriptOf(values)
    expect(script.plain.body.toString()).toBe("'https://$&.example','$&'$1','{{other}}'")
    expect(scriptOf({ ...values })).toBe(script)
    expect(scriptOf({ ...values, tenant_origin: 'https://other.example' }).hash).not.toBe(script.hash)
  })

  test('is kept ready for a thousand tenants, and for no more', () => {
    const scriptOf = createScripts('{{tenant_origin}}')
    const ofTenant = (at: number) => scriptOf({ tenant_origin: `https://${at}.example` })
    const [first] = Array.from({ length: 1_000 }, (_, at) => ofTenant(at))
    expect(ofTenant(0)).toBe(first)
    ofTenant(1_000)
    expect(ofTenant(0)).not.toBe(first)
  })

  test.for<[string | undefined, boolean]>([
    [undefined, false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
  ])('with If-None-Match %j (RFC 9110 13.1.2) is known: %s', ([header, known]) => {
    expect(isKnown(header, '"a"')).toBe(known)
  })

  test.for<[string | undefined, boolean]>([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['br, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000, *', false],
    ['*', true],
    ['*;q=0', false],
    ['identity', false],
    ['x-gzip2', false],
  ])('with Accept-Encoding %j (RFC 9110 12.5.3) is packed: %s', ([header, packed]) => {
    expect(takesGzip(header)).toBe(packed)
  })
})
