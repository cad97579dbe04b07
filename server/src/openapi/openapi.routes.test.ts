import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWholePlatform, platformHost, type WholePlatform } from '../testing/whole-platform.ts'

const url = '/api/v1/openapi.json'

describe('GET /api/v1/openapi.json (interface 9)', () => {
  let platform: WholePlatform
  beforeAll(async () => {
    platform = await createWholePlatform({ USHER_PUBLIC_URL: `https://${platformHost}:8443` })
  })
  afterAll(() => platform?.close())

  test('answers the description without a key, for a while', async () => {
    const response = await platform.request(platformHost, { url })
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'x-request-id': expect.any(String),
    })
    expect(response.json()).toMatchObject({ openapi: '3.1.0', info: { version: '1.0' } })
  })

  test('names this platform, and the tenants at its scheme and port', async () => {
    const { servers } = (await platform.request(platformHost, { url })).json()
    expect(servers.map((server: { url: string }) => server.url)).toEqual([
      `https://${platformHost}:8443`,
      'https://{tenant_domain}:8443',
    ])
  })

  test('answers 304 to one who has it', async () => {
    const { etag } = (await platform.request(platformHost, { url })).headers
    const response = await platform.request(platformHost, { url, headers: { 'if-none-match': String(etag) } })
    expect([response.statusCode, response.body]).toEqual([304, ''])
  })

  test.each(['members.acme.example', 'nobody.example'])('is nowhere else: %s', async host => {
    expect((await platform.request(host, { url })).statusCode).toBe(404)
  })
})
