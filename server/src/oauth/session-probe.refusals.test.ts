import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  codeOf,
  createProbePlatform,
  news,
  nobody,
  type ProbeOptions,
  type ProbePlatform,
  refused,
} from '../testing/probe-platform.ts'

let platform: ProbePlatform
let cookie: string
beforeAll(async () => {
  platform = await createProbePlatform()
  cookie = (await platform.signIn()).cookie
  // What the rules of clients would not take, but a row could hold.
  await platform.database.pool.query(
    "update oauth_clients set allowed_origins = allowed_origins || $1::text[] where client_id = 'neighbour'",
    [['null', '', `${news}, ${news}`]],
  )
})
afterAll(() => platform.close())

const of = (clientId: string) => ({ query: `?client_id=${clientId}` })
const wrongOrigins: [string, string][] = [
  ['that ends like a registered one', 'https://evilnews.acme.example'],
  ['that ends in a registered one', `https://evil.example/${news}`],
  ['of a subdomain', 'https://x.news.acme.example'],
  ['of the parent domain', 'https://acme.example'],
  ['that begins like a registered one', `${news}.evil.example`],
  ['that a registered one begins with', news.slice(0, -1)],
  ['that is the end of a registered one', 'acme.example'],
  ['in upper case', news.toUpperCase()],
  ['whose scheme is in upper case', news.replace('https', 'HTTPS')],
  ['whose host has another case', news.replace('news', 'News')],
  ['with a trailing slash', `${news}/`],
  ['with a path', `${news}/path`],
  ['with a trailing dot', `${news}.`],
  ['with the port of its scheme', `${news}:443`],
  ['with another port', `${news}:8443`],
  ['with another scheme', news.replace('https', 'http')],
  ['without a scheme', news.replace('https://', '')],
  ['with userinfo', news.replace('https://', 'https://user@')],
  ['of a list', `${news} https://evil.example`],
  ['of a list with a comma', `${news}, https://evil.example`],
  ['*', '*'],
  ['of the service itself', 'http://members.acme.example'],
  ['of another client', 'https://shop.acme.example'],
  ["of another tenant's client of the same name", 'https://news.globe.example'],
  ['with a tab in it', `${news}\t.evil.example`],
  ['of 8,000 characters', `https://${'x'.repeat(8_000)}.example`],
]

describe('a request that is refused bare, preflight or not (interface 4.8 and 4.8a)', () => {
  test.for<[string, ProbeOptions]>([
    ['no Origin header', { origin: null }],
    ['an empty Origin', { origin: '' }],
    ['no client_id', { query: '' }],
    ['an empty client_id', of('')],
    ['a nonexistent client', of('nobody')],
    ['a client_id that cannot be one', of('a%00b%20c')],
    ['a client_id that is longer than any', of('x'.repeat(4_000))],
    ["another tenant's client", of('only-globe')],
    ['a client in other case', of('Partner')],
    ['a client_id with a space after it', of('partner%20')],
    ['client disabled', of('off')],
    ['client has no registered origins', of('closed')],
    ['client_id sent twice', { query: '?client_id=partner&client_id=partner' }],
    ['client_id sent twice, another first', { query: '?client_id=nobody&client_id=partner' }],
    ['client_id sent twice, once encoded', { query: '?client_id=partner&client%5Fid=partner' }],
    ['client_id sent twice, once empty', { query: '?client_id=partner&client_id=' }],
    ['client_id in a list', { query: '?client_id[]=partner' }],
    ['client_id in other case', { query: '?Client_id=partner' }],
    ['Origin sent twice', { origin: [news, news] }],
    ['Origin sent twice, a stranger last', { origin: [news, 'https://evil.example'] }],
    ['Origin sent twice, a stranger first', { origin: ['https://evil.example', news] }],
    ['Origin sent twice, once empty', { origin: [news, ''] }],
    ['Origin null', { origin: 'null' }],
    ['Origin null, that is registered', { origin: 'null', ...of('neighbour') }],
    ['an empty Origin, that is registered', { origin: '', ...of('neighbour') }],
    ['no Origin, where an empty one is registered', { origin: null, ...of('neighbour') }],
    ['Origin sent twice, that is registered as one', { origin: [news, news], ...of('neighbour') }],
    ['a Referer in place of Origin', { origin: null, headers: { Referer: `${news}/page` } }],
    ...wrongOrigins.map(([what, origin]): [string, ProbeOptions] => [`an origin ${what}`, { origin }]),
  ])('%s', async ([, options]) => {
    const before = await platform.countCodes()
    for (const method of ['GET', 'OPTIONS'])
      for (const more of [{}, { cookie }]) {
        const headers = { 'Access-Control-Request-Method': 'GET', ...options.headers }
        expect(await platform.ask({ method, ...options, ...more, headers })).toEqual(refused)
      }
    expect(await platform.countCodes()).toBe(before)
  })
})

describe('what makes the difference', () => {
  test('is the origin of the client alone: the same requests from a registered one are answered', async () => {
    expect(await platform.ask()).toEqual(nobody)
    codeOf(await platform.ask({ cookie }))
    const { status, headers } = await platform.ask({
      origin: 'https://shop.acme.example',
      ...of('neighbour'),
    })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, 'https://shop.acme.example'])
  })

  test('holds at once when the client is changed', async () => {
    const asked = { cookie, ...of('strict') }
    const change = (set: string) =>
      platform.database.pool.query(`update oauth_clients set ${set} where client_id = 'strict'`)
    const tell = (isTold: boolean) =>
      platform.database.pool.query(`alter table oauth_clients ${isTold ? 'enable' : 'disable'} trigger user`)
    for (const [off, on] of [
      ['enabled = false', 'enabled = true'],
      ["allowed_origins = '{}'", `allowed_origins = '{${news}}'`],
      ["allowed_origins = '{https://evil.example}'", `allowed_origins = '{${news}}'`],
    ] as const) {
      codeOf(await platform.ask(asked))
      // No code from the commit on, whatever a process still has in its cache.
      await tell(false)
      const before = await platform.countCodes()
      await change(off)
      expect(await platform.ask(asked)).toEqual(refused)
      expect(await platform.countCodes()).toBe(before)
      await tell(true)
      await change(on)
      await expect.poll(async () => (await platform.ask(asked)).status).toBe(200)
    }
  })
})
