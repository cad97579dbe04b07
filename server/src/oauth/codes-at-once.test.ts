import { hash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import {
  callback,
  createOAuthPlatform,
  hostOf,
  makeVerifier,
  type OAuthPlatform,
  oauthRefusal,
  type SignedIn,
  secretOf,
} from '../testing/oauth-platform.ts'
import { hashCode, makeCode } from './authorization-code.ts'
import { type CodeUse, codeConsumer, codeStorer, type NewCode } from './authorization-codes.store.ts'
import { hashSecret } from './client-secret.ts'

// What many callers ask for at once goes to the database in one statement.

let platform: OAuthPlatform
/** Holds locks for a test. */
let holder: pg.Client
beforeAll(async () => {
  platform = await createOAuthPlatform()
  holder = new pg.Client({ connectionString: platform.database.url })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await platform.close()
})

const statusAndBody = (answer: { statusCode: number; json(): unknown }) => [answer.statusCode, answer.json()]
const lockWaits = (count: number) => expect.poll(() => platform.database.lockWaits()).toBe(count)
const members = (count: number, slug: 'acme' | 'globe' = 'acme'): Promise<SignedIn[]> =>
  Promise.all(
    Array.from({ length: count }, (_, at) => platform.signIn(slug, `at-once-${at}@${slug}.example`)),
  )

describe('exchanges at once', () => {
  test('answer each code its own member, client and tenant, whatever is wrong with those beside it', async () => {
    const { verifier, challenge } = makeVerifier()
    const ours = await members(10)
    const theirs = await members(5, 'globe')
    const neighbour = { client_id: 'neighbour', client_secret: secretOf('neighbour') }
    const globe = { client_secret: secretOf('partner', 'globe') }
    const used = await platform.issue()
    await platform.exchange(used)
    const bad = await Promise.all([
      used,
      platform.issue({ agedS: 61 }),
      platform.issue({ codeChallenge: challenge }),
      platform.issue({ slug: 'globe' }),
      'x'.repeat(64),
    ])
    const codes = await Promise.all([
      ...ours.slice(0, 5).map(member => platform.issue({ member, codeChallenge: challenge })),
      ...ours.slice(5).map(member => platform.issue({ member, clientId: 'neighbour' })),
      ...theirs.map(member => platform.issue({ member, slug: 'globe' })),
    ])
    const [refused, answers] = await Promise.all([
      Promise.all(bad.map(code => platform.exchange(code))),
      Promise.all(
        codes.map((code, at) =>
          at < 5
            ? platform.exchange(code, { code_verifier: verifier })
            : at < 10
              ? platform.exchange(code, neighbour)
              : platform.exchange(code, globe, { host: hostOf('globe') }),
        ),
      ),
    ])
    for (const answer of refused) expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_grant')])
    const tokens = answers.map(answer => decodeJwt(answer.json().access_token))
    expect(tokens.map(({ sub, azp }) => [sub, azp])).toEqual(
      [...ours, ...theirs].map(({ memberId }, at) => [
        memberId,
        at >= 5 && at < 10 ? 'neighbour' : 'partner',
      ]),
    )
    expect(new Set(tokens.map(({ sid }) => sid)).size).toBe(15)
  })

  test('that wait their turn are refused when their client was disabled meanwhile', async () => {
    const partner = (at: number) => platform.issue({ member: signedIn[at] as SignedIn })
    const signedIn = await members(4)
    const codes = await Promise.all([0, 1, 2, 3].map(partner))
    await platform.exchange(await platform.issue())
    const setEnabled = (enabled: boolean) =>
      platform.database.pool.query(`update oauth_clients set enabled = $1 where client_id = 'partner'`, [
        enabled,
      ])
    await holder.query('begin')
    await holder.query('lock table member_tokens in exclusive mode')
    const exchange = (at: number) => platform.exchange(codes[at] ?? '')
    // As many statements as there may be.
    const first = exchange(0)
    await lockWaits(1)
    const second = exchange(1)
    await lockWaits(2)
    const waiting = Promise.all([exchange(2), exchange(3)])
    await setEnabled(false)
    await holder.query('commit')
    await Promise.all([first, second])
    for (const answer of await waiting)
      expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_client')])
    await setEnabled(true)
    await expect.poll(async () => (await exchange(2)).statusCode).toBe(200)
  })
})

describe('uses of the same codes', () => {
  const useOf = (code: string): CodeUse => ({
    codeHash: hashCode(code),
    clientId: 'partner',
    secretHash: hashSecret(secretOf('partner')),
    redirectUri: callback,
    challenge: null,
    freshSessionId: uuidv7(),
    tokenId: uuidv7(),
    userAgent: '',
    address: null,
    now: new Date(),
    expiresAt: new Date(Date.now() + 60_000),
  })

  test('in one statement have one winner, which is told its own token', async () => {
    const consume = codeConsumer(platform.database.db)
    const member = await platform.signIn()
    const uses = Array.from({ length: 20 }, (_, at) => at)
    const code = await platform.issue({ member })
    const given = uses.map(() => useOf(code))
    const results = await Promise.all(given.map(use => consume(platform.tenants.acme.id, use)))
    const winners = results.flatMap((used, at) => (used ? [{ used, given: given[at] }] : []))
    expect(winners).toHaveLength(1)
    expect(winners[0]?.used).toMatchObject({
      memberId: member.memberId,
      sessionId: winners[0]?.given?.freshSessionId,
    })
    const { rows } = await platform.database.pool.query(
      'select token_id from authorization_codes where code_hash = $1',
      [hashCode(code)],
    )
    expect(rows).toEqual([{ token_id: winners[0]?.given?.tokenId }])
  })

  test('by two processes at once, in opposite order, do not wait for each other', async () => {
    const codes = await Promise.all(Array.from({ length: 3 }, () => platform.issue()))
    const sorted = codes.toSorted((a, b) => Buffer.compare(hashCode(a), hashCode(b)))
    // A deadlock would not be noticed before the statement has taken too long.
    const processes = [1, 2].map(() =>
      openDatabase({
        url: `${platform.database.url}${platform.database.url.includes('?') ? '&' : '?'}options=-c%20deadlock_timeout%3D60s`,
        maxConnections: 1,
        statementTimeoutMs: 4_000,
        applicationName: 'test',
      }),
    )
    const [one, other] = processes.map(({ db }) => codeConsumer(db))
    await holder.query('begin')
    await holder.query('select from authorization_codes where code_hash = $1 for update', [
      hashCode(sorted[1] ?? ''),
    ])
    const use = (consume: typeof one, code: string) => consume?.(platform.tenants.acme.id, useOf(code))
    const forward = Promise.all(sorted.map(code => use(one, code)))
    await lockWaits(1)
    const backward = Promise.all(sorted.toReversed().map(code => use(other, code)))
    await lockWaits(2)
    await holder.query('commit')
    expect((await forward).map(Boolean)).toEqual([true, true, true])
    expect((await backward).map(Boolean)).toEqual([false, false, false])
    await Promise.all(processes.map(({ close }) => close()))
  })
})

describe('codes stored at once', () => {
  test('are each stored as given where its client may have it, and each caller is told', async () => {
    const { db } = platform.database
    const { acme, globe } = platform.tenants
    const [ours, theirs] = [await platform.signIn(), await platform.signIn('globe')]
    const code = (member: SignedIn, other: Partial<NewCode> = {}): NewCode => ({
      codeHash: hashCode(makeCode()),
      clientId: 'partner',
      redirectUri: callback,
      codeChallenge: null,
      memberId: member.memberId,
      sessionId: member.sessionId,
      origin: 'probe',
      scope: null,
      nonce: null,
      issuedAt: new Date('2026-05-01T00:00:00.123Z'),
      expiresAt: new Date('2026-05-01T00:00:30.123Z'),
      ...other,
    })
    const given: [tenantId: string, code: NewCode][] = [
      [acme.id, code(ours)],
      [acme.id, code(ours, { clientId: 'off', redirectUri: 'https://off.example/callback' })],
      [globe.id, code(theirs, { origin: 'prompt_none', scope: 'a "b", {c}', nonce: 'NULL' })],
      [acme.id, code(ours, { redirectUri: 'https://elsewhere.example/' })],
      [acme.id, code(ours, { clientId: 'only-globe' })],
      [acme.id, code(ours, { codeChallenge: hash('sha256', 'v', 'base64url') })],
    ]
    const store = codeStorer(db)
    const stored = await Promise.all(given.map(([tenantId, one]) => store(tenantId, one)))
    expect(stored).toEqual([true, false, true, false, false, true])
    const { rows } = await sql<NewCode & { tenantId: string }>`
      select tenant_id as "tenantId", code_hash as "codeHash", client_id as "clientId", redirect_uri as "redirectUri",
        code_challenge as "codeChallenge", member_id as "memberId", session_id as "sessionId", origin, scope, nonce,
        issued_at as "issuedAt", expires_at as "expiresAt"
      from authorization_codes where code_hash = any(${given.map(([, { codeHash }]) => codeHash)})`.execute(
      db,
    )
    const expected = [given[0], given[2], given[5]].flatMap(one =>
      one ? [{ tenantId: one[0], ...one[1] }] : [],
    )
    expect(rows).toHaveLength(3)
    expect(rows).toEqual(expect.arrayContaining(expected))
  })
})
