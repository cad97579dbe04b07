import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createOAuthPlatform, type OAuthPlatform } from '../testing/oauth-platform.ts'
import { hashCode } from './authorization-code.ts'
import { pruneCodes } from './prune-codes.ts'

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())
beforeEach(() => platform.database.pool.query('delete from authorization_codes'))

const hourS = 3_600
/** Codes of the interactive flow end after a minute. */
const lifetimeS = 60
const left = async () => {
  const { rows } = await platform.database.pool.query('select code_hash from authorization_codes')
  return new Set(rows.map(({ code_hash: codeHash }) => codeHash.toString('hex')))
}
/** A code that ended so long ago. */
const ended = (agoS: number) => platform.issue({ agedS: lifetimeS + agoS })
async function used(agoS: number): Promise<string> {
  const code = await ended(agoS)
  await platform.database.pool.query(
    'update authorization_codes set used_at = issued_at, token_id = gen_random_uuid() where code_hash = $1',
    [hashCode(code)],
  )
  return code
}
const prune = () => pruneCodes(platform.database.db, new Date(), new AbortController().signal)

test('codes that nobody used go an hour after their end, used ones a day after, others stay', async () => {
  await Promise.all([ended(hourS + 30), ended(30 * hourS), used(24 * hourS + 30)])
  const kept = await Promise.all([
    platform.issue(),
    ended(hourS - 30),
    used(hourS + 30),
    used(24 * hourS - 30),
  ])
  await prune()
  expect(await left()).toEqual(new Set(kept.map(code => hashCode(code).toString('hex'))))
})

test('all of them go, however many, and whatever stands between them', async () => {
  await ended(2 * hourS)
  await platform.database.pool.query(`
    insert into authorization_codes (tenant_id, code_hash, client_id, redirect_uri, member_id, session_id, origin, issued_at,
      expires_at, used_at, token_id)
    select c.tenant_id, sha256(n::text::bytea), c.client_id, c.redirect_uri, c.member_id, c.session_id, c.origin, c.issued_at,
      c.expires_at + n / 100 * interval '1 millisecond', case when n % 3 = 0 then c.issued_at end,
      case when n % 3 = 0 then gen_random_uuid() end
    from authorization_codes c, generate_series(1, 18000) n`)
  await prune()
  expect((await left()).size).toBe(6_000)
})

test('a used code that comes again hours later is known still, and its token ends', async () => {
  const code = await platform.issue()
  const token = (await platform.exchange(code)).json().access_token as string
  await platform.database.pool.query(`update authorization_codes set issued_at = issued_at - interval '5 hours',
    expires_at = expires_at - interval '5 hours', used_at = used_at - interval '5 hours'`)
  await prune()
  expect(await platform.isActive(token)).toBe(true)
  expect((await platform.exchange(code)).json()).toEqual({
    error: 'invalid_grant',
    error_description: expect.stringMatching(/^The code was used already/),
  })
  expect(await platform.isActive(token)).toBe(false)
})
