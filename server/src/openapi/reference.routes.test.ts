import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWholePlatform, platformHost, type WholePlatform } from '../testing/whole-platform.ts'

describe('the reference at /docs', () => {
  let platform: WholePlatform
  const get = (url: string, headers: Record<string, string> = {}) =>
    platform.request(platformHost, { url, headers })

  beforeAll(async () => {
    platform = await createWholePlatform()
  })
  afterAll(() => platform?.close())

  test.each(['/docs', '/docs/'])('is a page at %s that may load nothing from elsewhere', async url => {
    const { statusCode, headers, body } = await get(url)
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toMatch(/https?:|\*/)
    // 'self' alone lets scripts run.
    expect(policy).toContain("script-src 'self';")
    for (const [, address] of body.matchAll(/(?:src|href)="([^"]+)"/g))
      expect(address).toMatch(/^(?:\/(?!\/)|data:,$)/)
  })

  test('is where the bare address of the platform leads, and that of a tenant does not', async () => {
    const { statusCode, headers } = await get('/')
    expect([statusCode, headers.location, headers['x-request-id']]).toEqual([
      302,
      '/docs',
      expect.any(String),
    ])
    for (const host of ['members.acme.example', 'localhost'])
      expect((await platform.request(host, { url: '/' })).statusCode).toBe(404)
  })

  test('serves its scripts itself, packed for who can unpack', async () => {
    const packed = await get('/docs/reference.js', { 'accept-encoding': 'gzip, br' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    const script = gunzipSync(packed.rawPayload).toString()
    expect(script).toContain('createApiReference')
    expect(script).not.toContain('sourceMappingURL')
    const plain = await get('/docs/reference.js')
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.body === script).toBe(true)
    const again = await get('/docs/reference.js', { 'if-none-match': String(packed.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect((await get('/docs/start.js')).body).toMatch(
      /^Scalar\.createApiReference\('#reference', \{.*\}\)\n$/,
    )
  })

  test.each(['/docs', '/docs/', '/docs/start.js', '/docs/reference.js'])(
    'is on the platform host only: %s',
    async url => {
      expect((await platform.request('members.acme.example', { url })).statusCode).toBe(404)
    },
  )
})
