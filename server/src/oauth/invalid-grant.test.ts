import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  callback,
  createOAuthPlatform,
  hostOf,
  type IssueOptions,
  makeVerifier,
  type OAuthPlatform,
  oauthRefusal,
  otherCallback,
  secretOf,
} from '../testing/oauth-platform.ts'

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())

const statusAndBody = (answer: { statusCode: number; json(): unknown }) => [answer.statusCode, answer.json()]

describe('a code that is not good is invalid_grant (interface 7)', () => {
  const { verifier, challenge } = makeVerifier()
  type Other = Record<string, string | undefined>
  const neighbour = { client_id: 'neighbour', client_secret: secretOf('neighbour') }

  test.for<[string, IssueOptions, Other]>([
    ['issued to another client', {}, neighbour],
    ['with another redirect_uri of the client', {}, { redirect_uri: otherCallback }],
    ['with the redirect_uri in other case', {}, { redirect_uri: callback.replace('app', 'App') }],
    ['with a slash after the redirect_uri', {}, { redirect_uri: `${callback}/` }],
    ['with a query after the redirect_uri', {}, { redirect_uri: `${callback}?` }],
    ['with NUL after the redirect_uri', {}, { redirect_uri: `${callback}\0` }],
    ['with a lone percent sign', {}, { redirect_uri: '%' }],
    ['expired by one second', { agedS: 61 }, {}],
    ['from the probe, expired by one second', { agedS: 31, origin: 'probe' }, {}],
    ['from prompt=none, expired by one second', { agedS: 601, origin: 'prompt_none' }, {}],
    ['without its verifier', { codeChallenge: challenge }, {}],
    ['with an empty verifier', { codeChallenge: challenge }, { code_verifier: '' }],
    ['with another verifier', { codeChallenge: challenge }, { code_verifier: makeVerifier().verifier }],
    ['with the challenge for a verifier', { codeChallenge: challenge }, { code_verifier: challenge }],
    ['with a verifier where no challenge was sent', {}, { code_verifier: verifier }],
    ...[
      ['42 characters', 'a'.repeat(42)],
      ['129 characters', 'a'.repeat(129)],
      ['forbidden characters', `${'a'.repeat(42)}+`],
      ['NUL', `${'a'.repeat(43)}\0`],
      ['a line break', `${'a'.repeat(43)}\n`],
    ].map(([what, text = '']): [string, IssueOptions, Other] => [
      `with its verifier of ${what}`,
      // Its hash does fit.
      { codeChallenge: hash('sha256', text, 'base64url') },
      { code_verifier: text },
    ]),
  ])('%s', async ([, issued, other]) => {
    const code = await platform.issue(issued)
    expect(statusAndBody(await platform.exchange(code, other))).toEqual([400, oauthRefusal('invalid_grant')])
  })

  test.for([
    ['interactive', 59],
    ['probe', 29],
    ['prompt_none', 599],
  ] as const)('and a %s code of %i seconds is', async ([origin, agedS]) => {
    const code = await platform.issue({ origin, agedS: agedS - 1 })
    expect((await platform.exchange(code)).statusCode).toBe(200)
  })

  test('a refused exchange does not use the code up', async () => {
    const code = await platform.issue({ codeChallenge: challenge })
    for (const other of [{ code_verifier: 'a'.repeat(43) }, { redirect_uri: otherCallback }, neighbour])
      expect((await platform.exchange(code, other)).statusCode).toBe(400)
    expect((await platform.exchange(code, { code_verifier: verifier })).statusCode).toBe(200)
  })

  test.for(['a guess', '', ' ', 'é', `\0${'a'.repeat(63)}`, 'a'.repeat(60_000)])(
    'guessed as %j',
    async guess => {
      const answer = await platform.exchange(guess || ' ')
      expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_grant')])
    },
  )

  test('of another tenant, also of a client of the same name with the same redirect_uri', async () => {
    const code = await platform.issue({ slug: 'globe' })
    expect(statusAndBody(await platform.exchange(code))).toEqual([400, oauthRefusal('invalid_grant')])
    const own = await platform.exchange(
      code,
      { client_secret: secretOf('partner', 'globe') },
      { host: hostOf('globe') },
    )
    expect(own.statusCode).toBe(200)
  })

  test('of a member who signed out meanwhile', async () => {
    for (const origin of ['interactive', 'probe', 'prompt_none'] as const) {
      const member = await platform.signIn()
      const code = await platform.issue({ member, origin })
      const { memberId, sessionId } = member
      await platform.members.endSession(platform.tenants.acme.id, { memberId, sessionId, now: new Date() })
      expect(statusAndBody(await platform.exchange(code))).toEqual([400, oauthRefusal('invalid_grant')])
    }
  })

  test('sent twice in a row: the token of the first time stays good', async () => {
    const code = await platform.issue()
    const { access_token: token } = (await platform.exchange(code)).json()
    expect(statusAndBody(await platform.exchange(code))).toEqual([400, oauthRefusal('invalid_grant')])
    expect(await platform.isActive(token)).toBe(true)
  })

  test('replayed later: what it was exchanged for is revoked (RFC 6749 4.1.2), but not by another client', async () => {
    const code = await platform.issue()
    const { access_token: token } = (await platform.exchange(code)).json()
    await platform.database.pool.query(
      `update authorization_codes set used_at = used_at - interval '11 seconds' where code_hash = $1`,
      [hash('sha256', code, 'buffer')],
    )
    expect((await platform.exchange(code, neighbour)).json()).toEqual(oauthRefusal('invalid_grant'))
    expect(await platform.isActive(token)).toBe(true)
    const stranger = await platform.exchange(code, { client_secret: 'x'.repeat(40) })
    expect(stranger.json()).toEqual(oauthRefusal('invalid_client'))
    expect(await platform.isActive(token)).toBe(true)
    expect((await platform.exchange(code)).json()).toEqual(oauthRefusal('invalid_grant'))
    expect(await platform.isActive(token)).toBe(false)
  })

  test.for(['probe', 'prompt_none'] as const)(
    'and a %s code that is replayed later: its token ends, and the browser stays signed in',
    async origin => {
      const member = await platform.signIn()
      const code = await platform.issue({ member, origin })
      const { access_token: token } = (await platform.exchange(code)).json()
      await platform.database.pool.query(
        `update authorization_codes set used_at = used_at - interval '11 seconds' where code_hash = $1`,
        [hash('sha256', code, 'buffer')],
      )
      expect((await platform.exchange(code)).json()).toEqual(oauthRefusal('invalid_grant'))
      expect(await platform.isActive(token)).toBe(false)
      const headers = { authorization: `Bearer ${member.token}` }
      expect((await platform.request(hostOf(), { url: '/api/sdk/member', headers })).statusCode).toBe(200)
    },
  )
})
