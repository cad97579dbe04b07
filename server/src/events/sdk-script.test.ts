import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWholePlatform, type WholePlatform } from '../testing/whole-platform.ts'

let platform: WholePlatform
beforeAll(async () => {
  platform = await createWholePlatform({ USHER_PUBLIC_URL: 'https://platform.localhost:8443' })
})
afterAll(() => platform.close())

describe('GET /sdk.js', () => {
  test('knows the canonical domain, so that a page that names an alias sends there', async () => {
    const answer = await platform.request('members.acme.example', { url: '/sdk.js' })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(answer.body).toContain('https://members.acme.example:8443')
    expect(answer.body).not.toContain('{{')
    const alias = await platform.request('accounts.acme.example', { url: '/sdk.js?v=1' })
    expect([alias.statusCode, alias.headers.location]).toEqual([
      302,
      'https://members.acme.example:8443/sdk.js?v=1',
    ])
  })

  test('is not sent again when it has not changed', async () => {
    const { headers } = await platform.request('members.acme.example', { url: '/sdk.js' })
    const again = await platform.request('members.acme.example', {
      url: '/sdk.js',
      headers: { 'if-none-match': String(headers.etag) },
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    const other = await platform.request('members.globe.example', { url: '/sdk.js' })
    expect(other.headers.etag).not.toBe(headers.etag)
  })
})
