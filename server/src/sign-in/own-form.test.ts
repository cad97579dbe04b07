import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostOf, issuerOf } from '../testing/oauth-platform.ts'
import { createSignInPlatform, newAddress, type SignInPlatform } from '../testing/sign-in-platform.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

describe('forms (threats, "OAuth": login CSRF)', () => {
  test.for<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['another site, by its Origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['a sibling host, by its Origin', { 'sec-fetch-site': '', origin: 'http://evil.acme.example' }],
    ['another scheme, by its Origin', { 'sec-fetch-site': '', origin: 'https://members.acme.example' }],
  ])('of %s are refused', async ([, headers]) => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code, link } = await platform.askForMail(visitor, flow, newAddress())
    const before = [await platform.rows('sign_in_mails'), await platform.rows('sign_in_flows')]
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
    const plain = { 'content-type': 'application/x-www-form-urlencoded', host: hostOf(), ...sent }
    const cookie = [...visitor.cookies.values()].join('; ')
    for (const [url, payload] of [
      [flow, 'email=a%40example.com'],
      [`${flow}/code`, `code=${code}`],
      [`${flow}/continue`, 'action=continue'],
      [link, ''],
      ['/account/sign-out', ''],
      ['/account/sessions/end', ''],
      ['/account/name', 'name=Eve'],
    ] as const) {
      const answer = await platform.app.inject({
        method: 'POST',
        url,
        payload,
        headers: { ...plain, cookie },
      })
      expect([url, answer.statusCode, answer.headers['set-cookie']]).toEqual([url, 403, undefined])
    }
    expect([await platform.rows('sign_in_mails'), await platform.rows('sign_in_flows')]).toEqual(before)
  })

  test('of our own pages pass in browsers that say their Origin alone', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    const answer = await platform.app.inject({
      method: 'POST',
      url: `${flow}/code`,
      payload: `code=${code}`,
      headers: {
        host: hostOf(),
        'content-type': 'application/x-www-form-urlencoded',
        origin: issuerOf(),
        cookie: [...visitor.cookies.values()].join('; '),
      },
    })
    expect(answer.statusCode).toBe(303)
  })

  test('without the cookie of the browser that began the flow are of no flow', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    visitor.cookies.clear()
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(404)
    visitor.cookies.set('x', `usher-browser=${'A'.repeat(43)}`)
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(404)
  })

  test('of JSON, of nothing and of too much change nothing', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const cookie = [...visitor.cookies.values()].join('; ')
    for (const [payload, type, status] of [
      ['{"email":"a@example.com"}', 'application/json', 422],
      ['', 'application/x-www-form-urlencoded', 422],
      [`email=${'a'.repeat(10_000)}`, 'application/x-www-form-urlencoded', 413],
    ] as const) {
      const answer = await platform.app.inject({
        method: 'POST',
        url: flow,
        payload,
        headers: { host: hostOf(), 'content-type': type, 'sec-fetch-site': 'same-origin', cookie },
      })
      expect(answer.statusCode).toBe(status)
    }
  })
})
