import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWholePlatform, type WholePlatform } from '../testing/whole-platform.ts'
import { createSdkScripts, isKnown, takesGzip } from './sdk-script.ts'

let platform: WholePlatform
beforeAll(async () => {
  platform = await createWholePlatform({
    USHER_PUBLIC_URL: 'https://platform.localhost:8443',
    USHER_COOKIE_NAME: '_acme.session',
  })
})
afterAll(() => platform.close())

const get = (url = '/sdk.js', headers: Record<string, string> = {}, host = 'members.acme.example') =>
  platform.request(host, { url, headers })

const anyPage = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

describe('GET /sdk.js', () => {
  test('knows the canonical domain, so that a page that names an alias sends there, and the cookie', async () => {
    const answer = await get()
    const hash = createHash('sha256').update(answer.body).digest('base64url').slice(0, 22)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      ...anyPage,
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.body)),
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
      'content-location': `/sdk-${hash}.js`,
      etag: `"${hash}"`,
      vary: 'accept-encoding',
    })
    expect(answer.body).toContain('https://members.acme.example:8443')
    expect(answer.body).toContain('_acme.session')
    expect(answer.body).not.toContain('{{')
    const alias = await get('/sdk.js?v=1', {}, 'accounts.acme.example')
    expect([alias.statusCode, alias.headers.location]).toEqual([
      302,
      'https://members.acme.example:8443/sdk.js?v=1',
    ])
  })

  test('is packed for whom it may be, under an ETag of its own', async () => {
    const plain = await get()
    const packed = await get('/sdk.js', { 'accept-encoding': 'gzip, deflate, br' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(packed.rawPayload.length).toBeLessThan(5000)
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body)
    expect(packed.headers.etag).not.toBe(plain.headers.etag)
    expect(packed.headers['content-location']).toBe(plain.headers['content-location'])
  })

  test.for([{}, { 'accept-encoding': 'gzip' }])(
    'is not sent again when it has not changed, %j',
    async headers => {
      const first = await get('/sdk.js', headers)
      const again = await get('/sdk.js', { ...headers, 'if-none-match': String(first.headers.etag) })
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
      const other = await get(
        '/sdk.js',
        { 'if-none-match': String(first.headers.etag) },
        'members.globe.example',
      )
      expect(other.statusCode).toBe(200)
    },
  )
})

describe('GET /sdk-{hash}.js', () => {
  test('is the same script, to be kept for a year', async () => {
    const { headers, body } = await get()
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

  test.for(['/sdk-x.js', '/sdk-mPm0pVsTwS9KCfhqWVhCcA.js'])(
    'of another version leads to the script that there is: %s',
    async url => {
      const { statusCode, headers, body } = await get(url)
      expect([statusCode, headers.location, headers['cache-control'], body]).toEqual([
        302,
        '/sdk.js',
        'public, max-age=300',
        '',
      ])
      expect(headers).toMatchObject(anyPage)
    },
  )
})

describe('a script', () => {
  test('is made once for a tenant, and takes names as they are', () => {
    const scriptOf = createSdkScripts("'{{tenant_origin}}','{{cookie_name}}'", "$&'$1")
    const script = scriptOf('https://$&.example')
    expect(script.plain.body.toString()).toBe("'https://$&.example','$&'$1'")
    expect(scriptOf('https://$&.example')).toBe(script)
    expect(scriptOf('https://other.example').hash).not.toBe(script.hash)
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
