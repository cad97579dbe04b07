import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openOutgoing } from '../../foundation/outgoing/index.ts'
import {
  claimsOf,
  declarePartner,
  type LogoutPartner,
  startLogoutPartner,
} from '../../testing/logout-partner.ts'
import { hostOf, issuerOf, type SignedIn, secretOf } from '../../testing/oauth-platform.ts'
import { createSignInPlatform, newAddress, type SignInPlatform } from '../../testing/sign-in-platform.ts'
import { hiddenOf } from '../../testing/visitor.ts'
import { tokens } from '../../testing/whole-platform.ts'
import { sendLogoutToken } from './send-logout-token.ts'

let platform: SignInPlatform
let partner: LogoutPartner
beforeAll(async () => {
  platform = await createSignInPlatform()
  partner = await startLogoutPartner()
  await declarePartner(platform, { backchannel_logout_uri: partner.address })
})
afterAll(async () => {
  await platform.close()
  partner.close()
})

const toldOf = ({ memberId }: SignedIn) => partner.told.filter(({ sub }) => sub === memberId)

/** A member's tokens at the partner; of a session of its own unless it was asked silently. */
async function takeTokens(member: SignedIn, options: Parameters<SignInPlatform['issue']>[0] = {}) {
  const answer = (
    await platform.exchange(await platform.issue({ member, scope: 'openid', ...options }))
  ).json()
  return { idToken: answer.id_token, accessToken: answer.access_token }
}
function visit(member: SignedIn) {
  const visitor = platform.visit()
  visitor.cookies.set('_SERVICET Domain=acme.example', member.cookie)
  return visitor
}
const asMember = (method: 'POST' | 'DELETE', url: string, token: string) =>
  platform.request(hostOf(), { method, url, headers: { authorization: `Bearer ${token}` } })

/** How many logout tokens of a member's sessions are on their way, or were sent. */
async function jobsOf({ memberId }: SignedIn): Promise<number> {
  const { rows } = await platform.database.pool.query(
    `select count(*)::int as jobs from pgboss.job where data->>'name' = 'send-logout-token'
     and data->'payload'->>'member_id' = $1`,
    [memberId],
  )
  return rows[0].jobs
}

describe('a logout token (OpenID Connect Back-Channel Logout 1.0)', () => {
  let member: SignedIn
  beforeEach(async () => {
    member = await platform.signIn('acme', newAddress())
  })

  const ways: [string, () => Promise<unknown>][] = [
    [
      'the account page',
      async () => {
        const visitor = visit(member)
        const form = { form: hiddenOf((await visitor.get('/account')).body, 'form') }
        return visitor.post('/account/sign-out', form)
      },
    ],
    ["the member's API", () => asMember('POST', '/api/sdk/sign-out', member.token)],
    [
      "the member's API, by id",
      () => asMember('DELETE', `/api/sdk/member/sessions/${member.sessionId}`, member.token),
    ],
    [
      'the staff',
      () =>
        platform.request(hostOf(), {
          method: 'DELETE',
          url: `/api/v1/member-sessions/${member.sessionId}`,
          key: tokens.acme,
        }),
    ],
    [
      'another member, who signs in on the browser',
      async () => {
        const visitor = visit(member)
        const flow = await platform.begin(visitor, { prompt: 'login' })
        const { code } = await platform.askForMail(visitor, flow, newAddress())
        return visitor.post(`${flow}/code`, { code })
      },
    ],
    [
      'a client',
      async () => {
        const { idToken } = await takeTokens(member, { origin: 'prompt_none' })
        return visit(member).get(`/oauth/logout?id_token_hint=${idToken}`)
      },
    ],
  ]
  test.for(ways)('is sent once when the session of the browser is ended by %s', async ([, end]) => {
    await takeTokens(member)
    await takeTokens(member, { origin: 'prompt_none' })
    await end()
    await expect.poll(() => toldOf(member), { timeout: 20_000 }).toHaveLength(1)
    const [{ token, type } = { token: '', type: '' }] = toldOf(member)
    expect(type).toBe('application/x-www-form-urlencoded')
    const keys = (await platform.request(hostOf(), { url: '/.well-known/jwks.json' })).json()
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: issuerOf(),
      audience: 'partner',
      typ: 'logout+jwt',
    })
    expect(protectedHeader.alg).toBe('RS256')
    expect(payload).toEqual({
      iss: issuerOf(),
      sub: member.memberId,
      aud: 'partner',
      iat: expect.any(Number),
      exp: Number(payload.iat) + 120,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sid: member.sessionId,
    })
    expect(await platform.isActive(token)).toBe(false)
  })

  test("is sent when the client's own session is ended, with the sid of its id_token", async () => {
    const { idToken, accessToken } = await takeTokens(member)
    const { sid } = claimsOf(accessToken)
    await asMember('DELETE', `/api/sdk/member/sessions/${sid}`, member.token)
    await expect.poll(() => toldOf(member), { timeout: 20_000 }).toHaveLength(1)
    expect(claimsOf(toldOf(member)[0]?.token ?? '').sid).toBe(claimsOf(idToken).sid)
  })

  test('is of an end that takes place: asked for twice, it is sent once', async () => {
    await takeTokens(member)
    const api = `/api/sdk/member/sessions/${member.sessionId}`
    const other = await platform.signIn('acme', newAddress())
    expect((await asMember('DELETE', api, other.token)).statusCode).toBe(404)
    expect([await jobsOf(member), await jobsOf(other)]).toEqual([0, 0])
    const url = `/api/v1/member-sessions/${member.sessionId}`
    const end = () => platform.request(hostOf(), { method: 'DELETE', url, key: tokens.acme })
    const answers = await Promise.all([end(), end(), end()])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([204, 404, 404])
    expect(await jobsOf(member)).toBe(1)
    await expect.poll(() => toldOf(member)).toHaveLength(1)
  })

  test("is not sent again to a client whose own session was ended before the browser's", async () => {
    const { accessToken } = await takeTokens(member)
    await asMember('DELETE', `/api/sdk/member/sessions/${claimsOf(accessToken).sid}`, member.token)
    expect(await jobsOf(member)).toBe(1)
    await asMember('POST', '/api/sdk/sign-out', member.token)
    expect(await jobsOf(member)).toBe(1)
    await expect.poll(() => toldOf(member)).toHaveLength(1)
  })

  test('is sent again, as a new one, to a client that did not do its part', async () => {
    partner.answers.push(503)
    await takeTokens(member)
    await asMember('POST', '/api/sdk/sign-out', member.token)
    await expect.poll(() => toldOf(member), { timeout: 40_000, interval: 200 }).toHaveLength(2)
    const [first, second] = toldOf(member).map(({ token }) => claimsOf(token).jti)
    expect(second).not.toBe(first)
  }, 60_000)

  test('is for nobody who has no id_token, has given its token back, or is not there any more', async () => {
    await takeTokens(member, { scope: 'profile' })
    await takeTokens(member, { scope: 'profile', origin: 'prompt_none' })
    // One of a session of its own, and one that rides the browser's.
    for (const { accessToken } of [
      await takeTokens(member),
      await takeTokens(member, { origin: 'prompt_none' }),
    ])
      await platform.post('/oauth/revoke', {
        token: accessToken,
        client_id: 'partner',
        client_secret: secretOf('partner'),
      })
    await asMember('POST', '/api/sdk/sign-out', member.token)
    expect(await jobsOf(member)).toBe(0)

    member = await platform.signIn('acme', newAddress())
    await takeTokens(member)
    await declarePartner(platform, { enabled: false, backchannel_logout_uri: partner.address })
    await asMember('POST', '/api/sdk/sign-out', member.token)
    await declarePartner(platform, { enabled: true, backchannel_logout_uri: '' })
    expect(await jobsOf(member)).toBe(0)
    member = await platform.signIn('acme', newAddress())
    await takeTokens(member)
    await asMember('POST', '/api/sdk/sign-out', member.token)
    expect(await jobsOf(member)).toBe(0)
    await declarePartner(platform, { backchannel_logout_uri: partner.address })
  })
})

describe('a client that is told', () => {
  const send = async (allowLocal: boolean) => {
    const outgoing = openOutgoing({ allowLocal })
    const { db } = platform.database
    const ended = { tenantId: platform.tenants.acme.id, clientId: 'partner', memberId: 'm', sessionId: 's' }
    try {
      await sendLogoutToken({ db, members: platform.members, outgoing, nowMs: Date.now }, ended)
    } finally {
      await outgoing.close()
    }
  }

  test.for([400, 404, 500, 302])(
    'and answers %i has not done its part, and is not followed elsewhere',
    async status => {
      partner.answers.push(status)
      const before = partner.told.length
      await expect(send(true)).rejects.toThrow(`The client partner answered ${status} to a logout token.`)
      expect(partner.told.length).toBe(before + 1)
    },
  )

  test('no more, as it is disabled by now or wants to know no more, is told nothing', async () => {
    const before = partner.told.length
    await declarePartner(platform, { enabled: false })
    await send(true)
    await declarePartner(platform, { enabled: true, backchannel_logout_uri: '' })
    await send(true)
    expect(partner.told.length).toBe(before)
    await declarePartner(platform, { backchannel_logout_uri: partner.address })
  })

  test.for([200, 204])('and answers %i has', async status => {
    partner.answers.push(status)
    await send(true)
  })

  test.for([
    'https://127.0.0.1/out',
    'https://localhost/out',
    'https://10.0.0.1/out',
    'https://169.254.169.254/out',
    'https://[::1]/out',
    'http://127.0.0.1/out',
  ])('at %s is not asked in production (threats: SSRF)', async uri => {
    await platform.database.pool.query(
      `update oauth_clients set backchannel_logout_uri = $1 where client_id = 'partner'`,
      [uri],
    )
    await expect(send(false)).rejects.toMatchObject({ name: 'OutgoingError', fault: 'forbidden' })
  })
})
