import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostOf, issuerOf, type SignedIn } from '../testing/oauth-platform.ts'
import { codeOf, createProbePlatform, nobody, type ProbePlatform } from '../testing/probe-platform.ts'

let platform: ProbePlatform
let ada: SignedIn
beforeAll(async () => {
  platform = await createProbePlatform()
  ada = await platform.signIn('acme', 'ada@acme.example')
})
afterAll(() => platform.close())

const cookies = (...tokens: string[]) => tokens.map(token => `_SERVICET=${token}`).join('; ')

/** Whose session the code of an answer is of. */
async function memberOf(cookie: string): Promise<string> {
  const answer = await platform.exchange(codeOf(await platform.ask({ cookie })))
  return JSON.parse(Buffer.from(answer.json().access_token.split('.')[1], 'base64url').toString()).sub
}

/** Tokens that do not sign a browser in, each by what it is. */
const notSignedIn: [string, () => Promise<string>][] = [
  ['an access token of a client (threats, OAuth)', accessToken],
  ['an access token of a probe, which rides the session itself', probeToken],
  ['an id_token of the tenant', idToken],
  ["another tenant's device token", async () => (await platform.signIn('globe')).token],
  ['a device token whose session has ended', endedToken],
  ['a device token that was changed', async () => `${ada.token.slice(0, -4)}AAAA`],
  ['a device token without its signature', async () => `${ada.token.split('.').slice(0, 2).join('.')}.`],
  ['a token without algorithm', unsignedToken],
  ['no token', async () => 'nonsense'],
  ['nothing', async () => ''],
]

async function accessToken(): Promise<string> {
  return (await platform.exchange(await platform.issue({ member: ada }))).json().access_token
}
async function probeToken(): Promise<string> {
  return (await platform.exchange(codeOf(await platform.ask({ cookie: ada.cookie })))).json().access_token
}
async function idToken(): Promise<string> {
  const nowS = Math.floor(Date.now() / 1_000)
  const { memberId: sub, sessionId: sid } = ada
  const aud = [issuerOf(), 'partner']
  return platform.members.signIdToken(platform.tenants.acme, { sub, sid, aud, iat: nowS, exp: nowS + 3_600 })
}
async function endedToken(): Promise<string> {
  const { memberId, sessionId, token } = await platform.signIn()
  await platform.members.endSession(platform.tenants.acme.id, { memberId, sessionId, now: new Date() })
  await expect.poll(() => platform.ask({ cookie: cookies(token) })).toEqual(nobody)
  return token
}
async function unsignedToken(): Promise<string> {
  const [, claims] = ada.token.split('.')
  const header = Buffer.from('{"alg":"none","typ":"device+jwt"}').toString('base64url')
  return `${header}.${claims}.`
}

describe('what the session cookie has to hold (decisions, "Silent sign-in")', () => {
  test.for(notSignedIn)('%s signs nobody in', async ([, make]) => {
    const before = await platform.countCodes()
    const cookie = cookies(await make())
    const codesOfMake = (await platform.countCodes()) - before
    expect(await platform.ask({ cookie })).toEqual(nobody)
    expect(await platform.countCodes()).toBe(before + codesOfMake)
  })

  test.for(notSignedIn)('%s, planted first or last, stands in no way', async ([, make]) => {
    const planted = await make()
    for (const cookie of [
      cookies(planted, ada.token),
      cookies(ada.token, planted),
      cookies(planted, ada.token, planted),
    ])
      expect(await memberOf(cookie)).toBe(ada.memberId)
  })

  test('of two that are good the newest counts, first or last', async () => {
    const eve = await platform.signIn('acme', 'eve@acme.example')
    // Tokens say when they were made in whole seconds.
    await expect
      .poll(() => Math.floor(Date.now() / 1_000), { timeout: 3_000 })
      .toBeGreaterThan(issuedAt(eve.token))
    const mine = await platform.signIn('acme', 'ada@acme.example')
    for (const cookie of [cookies(eve.token, mine.token), cookies(mine.token, eve.token)])
      expect(await memberOf(cookie)).toBe(ada.memberId)
  })

  test('other names are other cookies, and a name has its case', async () => {
    for (const name of ['SERVICET', '__SERVICET', '_SERVICET2', '_servicet', 'x_SERVICET'])
      expect([name, await platform.ask({ cookie: `${name}=${ada.token}` })]).toEqual([name, nobody])
    codeOf(await platform.ask({ cookie: `a=1;_SERVICET=${ada.token};b` }))
  })

  test('a token anywhere else signs nobody in', async () => {
    const headers = { Authorization: `Bearer ${ada.token}` }
    expect(await platform.ask({ headers })).toEqual(nobody)
    expect(
      await platform.ask({ query: `?client_id=partner&token=${ada.token}&_SERVICET=${ada.token}` }),
    ).toEqual(nobody)
  })
})

const issuedAt = (token: string): number =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).iat

describe('Cookie Domain (interface 5)', () => {
  const setCookieDomain = (domain: string | null) =>
    platform.database.pool.query("update tenants set cookie_domain = $1 where slug = 'globe'", [domain])
  const asked = { host: hostOf('globe'), origin: 'https://news.globe.example' }

  test('blank: nobody is ever signed in, with no error; set: the same browser is', async () => {
    const { cookie } = await platform.signIn('globe')
    const before = await platform.countCodes()
    const { headers } = nobody
    const ofGlobe = { ...nobody, headers: { ...headers, 'access-control-allow-origin': asked.origin } }
    expect(await platform.ask({ ...asked, cookie })).toEqual(ofGlobe)
    expect(await platform.countCodes()).toBe(before)
    await setCookieDomain('globe.example')
    // The very same header: a cookie on the exact host and one on the parent domain look alike here.
    await expect
      .poll(async () => JSON.parse((await platform.ask({ ...asked, cookie })).body).status)
      .toBe('authenticated')
    await setCookieDomain(null)
    await expect.poll(() => platform.ask({ ...asked, cookie })).toEqual(ofGlobe)
  })
})
