import { createHmac, createPrivateKey, createPublicKey, type JsonWebKey, sign } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, exportSPKI, importJWK } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openSecrets } from '../foundation/secrets/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import { openTestMembers, signInTestMember, TEST_SECRET_KEY, type TestSignIn } from '../testing/members.ts'
import { applyTestPlatform } from '../testing/platform.ts'
import type { Members } from './index.ts'
import { sealPurpose } from './signing-keys/signing-key.ts'

const platformFile = `
tenants:
  - { slug: acme, name: Acme, domain: members.acme.example }
  - { slug: globe, name: Globe, domain: members.globe.example }
`
const both = ['device', 'access'] as const
const dayMs = 86_400_000
/** Nobody listens there, so nobody is told of anything. */
const unreachable = 'postgres://127.0.0.1:1/none'

let database: TestDatabase
let members: Members
let now: Date
let enabledClients: Set<string>
let ada: TestSignIn
let access: { token: string; sessionId: string; tokenId: string }
beforeAll(async () => {
  database = await createTestDatabase()
  await applyTestPlatform(database, platformFile)
})
afterAll(() => database.drop())
beforeEach(async () => {
  now = new Date('2026-05-01T12:00:00.500Z')
  enabledClients = new Set(['partner'])
  members = openTestMembers(database, {
    nowMs: () => now.getTime(),
    isClientEnabled: async (_tenantId, clientId) => enabledClients.has(clientId),
  })
  ada = await signInTestMember(members, database, { now })
  access = await issueAccessToken()
})
afterEach(() => members.close())

/** What a code exchange leaves behind: an integration session, a token row, the token. */
async function issueAccessToken() {
  const { tenant, member } = ada
  const [sessionId, tokenId] = [uuidv7(), uuidv7()]
  const expiresAt = new Date(now.getTime() + 30 * dayMs)
  await database.pool.query(
    `insert into member_sessions (tenant_id, id, member_id, kind, client_id, user_agent, created_at, last_seen_at, expires_at)
     values ($1, $2, $3, 'integration', 'partner', 'partner/1', $4, $4, $5)`,
    [tenant.id, sessionId, member.id, now, expiresAt],
  )
  await database.pool.query(
    `insert into member_tokens (tenant_id, id, session_id, kind, client_id, issued_at, expires_at)
     values ($1, $2, $3, 'access', 'partner', $4, $5)`,
    [tenant.id, tokenId, sessionId, now, expiresAt],
  )
  const content = { memberId: member.id, sessionId, tokenId, clientId: 'partner', issuedAt: now, expiresAt }
  return { token: await members.signAccessToken(tenant, content), sessionId, tokenId }
}

const verify = (
  token: string,
  options: { kinds?: readonly ('device' | 'access')[]; recent?: boolean } = {},
) => members.verifyMemberToken({ tenant: ada.tenant, token, kinds: both, ...options })

/** A token with a header and claims of one's own, signed with the key of acme's that signs. */
async function forge(header: object, claims: object, make?: (content: string) => string): Promise<string> {
  const { rows } = await database.pool.query(
    'select kid, sealed_private_key from signing_keys where tenant_id = $1',
    [ada.tenant.id],
  )
  const { kid, sealed_private_key: sealed } = rows[0]
  const key = createPrivateKey({
    key: openSecrets([TEST_SECRET_KEY]).open(sealPurpose(ada.tenant.id, kid), sealed),
    format: 'der',
    type: 'pkcs8',
  })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part({ ...decodeProtectedHeader(ada.token), ...header })}.${part({ ...decodeJwt(ada.token), ...claims })}`
  return `${content}.${make ? make(content) : sign('sha256', Buffer.from(content), key).toString('base64url')}`
}

describe('a device token (decisions, "OAuth")', () => {
  test('is good, and says this and no more', async () => {
    expect(decodeProtectedHeader(ada.token)).toEqual({
      alg: 'RS256',
      typ: 'device+jwt',
      kid: expect.stringMatching(/^[\w-]{43}$/),
    })
    const iat = Date.parse('2026-05-01T12:00:00Z') / 1_000
    const claims = {
      iss: 'http://members.acme.example',
      aud: 'http://members.acme.example',
      sub: ada.member.id,
      sid: ada.sessionId,
      jti: expect.any(String),
      iat,
      exp: iat + 30 * 86_400,
    }
    expect(decodeJwt(ada.token)).toEqual(claims)
    expect(await verify(ada.token)).toEqual({
      kind: 'device',
      memberId: ada.member.id,
      sessionId: ada.sessionId,
      tokenId: expect.any(String),
      clientId: undefined,
      issuedAt: new Date(iat * 1_000),
      expiresAt: new Date((iat + 30 * 86_400) * 1_000),
      claims,
    })
  })

  test('is good to its last second and no longer', async () => {
    now = new Date('2026-05-31T11:59:59.999Z')
    expect(await verify(ada.token)).toBeDefined()
    now = new Date('2026-05-31T12:00:00.000Z')
    expect(await verify(ada.token)).toBeUndefined()
    expect(await verify(ada.token, { recent: true })).toBeUndefined()
  })
})

describe('an access token (decisions, "OAuth"; RFC 9068)', () => {
  test('is good, and says this and no more', async () => {
    expect(decodeProtectedHeader(access.token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
    expect(decodeJwt(access.token)).toEqual({
      iss: 'http://members.acme.example',
      aud: ['http://members.acme.example', 'partner'],
      azp: 'partner',
      client_id: 'partner',
      sub: ada.member.id,
      sid: access.sessionId,
      jti: access.tokenId,
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    expect(await verify(access.token)).toMatchObject({ kind: 'access', clientId: 'partner' })
  })

  test('is refused where a device token is wanted, and the other way round', async () => {
    expect(await verify(access.token, { kinds: ['device'] })).toBeUndefined()
    expect(await verify(ada.token, { kinds: ['access'] })).toBeUndefined()
  })

  test('is refused while its client is disabled', async () => {
    enabledClients.clear()
    expect(await verify(access.token)).toBeUndefined()
    expect(await verify(ada.token)).toBeDefined()
    enabledClients.add('partner')
    expect(await verify(access.token)).toBeDefined()
  })

  test('becomes no device token when its header is written anew', async () => {
    // Signed by acme's own key, for an access token's row.
    const claims = decodeJwt(access.token)
    expect(await verify(await forge({ typ: 'device+jwt' }, claims), { kinds: ['device'] })).toBeUndefined()
    expect(await verify(await forge({ typ: 'at+jwt' }, {}), { kinds: ['access'] })).toBeUndefined()
  })
})

describe('a token that is none (threats, "JWT")', () => {
  test('the forgery itself is good, so that what follows fails for the reason that it names', async () => {
    expect(await verify(await forge({}, {}))).toBeDefined()
  })

  const changed = (token: string, at: number) =>
    token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)

  test.for<[what: string, make: () => string | Promise<string>]>([
    ['nothing', () => ''],
    ['a word', () => 'token'],
    ['three dots', () => '...'],
    ['a token without its signature', () => ada.token.replace(/[^.]*$/, '')],
    ['a token with a changed header', () => changed(ada.token, 5)],
    ['a token with changed claims', () => changed(ada.token, ada.token.indexOf('.') + 20)],
    ['a token with a changed signature', () => changed(ada.token, ada.token.lastIndexOf('.') + 20)],
    ['alg none without a signature', () => forge({ alg: 'none' }, {}, () => '')],
    [
      'alg none with the signature kept',
      () => forge({ alg: 'none' }, {}, () => ada.token.split('.')[2] ?? ''),
    ],
    ['alg RS512', () => forge({ alg: 'RS512' }, {})],
    ['alg PS256', () => forge({ alg: 'PS256' }, {})],
    [
      'HS256 with the public key as PEM',
      async () => {
        const [jwk = {}] = await members.publicKeys(ada.tenant.id)
        const pem = await exportSPKI(
          (await importJWK(jwk, 'RS256')) as Exclude<Awaited<ReturnType<typeof importJWK>>, Uint8Array>,
        )
        return forge({ alg: 'HS256' }, {}, content =>
          createHmac('sha256', pem).update(content).digest('base64url'),
        )
      },
    ],
    [
      'HS256 with the public key as DER',
      async () => {
        const [jwk = {}] = await members.publicKeys(ada.tenant.id)
        const der = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }).export({
          format: 'der',
          type: 'spki',
        })
        return forge({ alg: 'HS256' }, {}, content =>
          createHmac('sha256', der).update(content).digest('base64url'),
        )
      },
    ],
    ['an unknown kid', () => forge({ kid: 'A'.repeat(43) }, {})],
    ['no kid', () => forge({ kid: undefined }, {})],
    ['a kid that is a path', () => forge({ kid: '../../../dev/null' }, {})],
    ['a kid that is SQL', () => forge({ kid: "' or true --" }, {})],
    ['a kid that is a number', () => forge({ kid: 1 }, {})],
    ['a key of its own (jwk)', () => forge({ kid: 'mine', jwk: { kty: 'RSA' } }, {})],
    ['an extension that must be understood', () => forge({ crit: ['x'], x: 1 }, {})],
    ['another typ', () => forge({ typ: 'JWT' }, {})],
    ['no typ', () => forge({ typ: undefined }, {})],
    ["another tenant's issuer", () => forge({}, { iss: 'http://members.globe.example' })],
    ['another audience', () => forge({}, { aud: 'partner' })],
    ['an expired one', () => forge({}, { exp: Math.floor(now.getTime() / 1_000) })],
    ['one without exp', () => forge({}, { exp: undefined })],
    ['a jti without a row', () => forge({}, { jti: uuidv7() })],
    ['a jti that is no UUID', () => forge({}, { jti: "x' y" })],
    ['no jti', () => forge({}, { jti: undefined })],
    ["another session's sid", () => forge({}, { sid: access.sessionId })],
    ['another subject', () => forge({}, { sub: uuidv7() })],
    ['ten thousand characters', () => `${ada.token}${'A'.repeat(10_000)}`],
  ])('%s', async ([, make]) => {
    const token = await make()
    expect(await verify(token)).toBeUndefined()
    expect(await verify(token, { recent: true })).toBeUndefined()
  })

  test("another tenant's token", async () => {
    const bob = await signInTestMember(members, database, { slug: 'globe', now })
    expect(await verify(bob.token)).toBeUndefined()
    expect(
      await members.verifyMemberToken({ tenant: bob.tenant, token: ada.token, kinds: both }),
    ).toBeUndefined()
    expect(
      await members.verifyMemberToken({ tenant: bob.tenant, token: bob.token, kinds: both }),
    ).toBeDefined()
  })

  test("one signed with another tenant's key, for a row of this tenant", async () => {
    const globe = await signInTestMember(members, database, { slug: 'globe', now })
    const { kid } = decodeProtectedHeader(globe.token)
    expect(await verify(await forge({ kid }, {}))).toBeUndefined()
  })
})

describe('an end', () => {
  const end = () =>
    members.endSession(ada.tenant.id, { memberId: ada.member.id, sessionId: ada.sessionId, now })

  test('of a session is seen at once, also where the token was good a moment ago, and leaves the others', async () => {
    expect(await verify(ada.token, { recent: true })).toBeDefined()
    expect(await end()).toBe(true)
    expect(await verify(ada.token, { recent: true })).toBeUndefined()
    expect(await verify(ada.token)).toBeUndefined()
    expect(await verify(access.token, { recent: true })).toBeDefined()
    expect(await end()).toBe(false)
  })

  test("of a session is the member's own", async () => {
    const eve = await signInTestMember(members, database, { email: 'eve@example.com', now })
    const asEve = { memberId: eve.member.id, sessionId: ada.sessionId, now }
    expect(await members.endSession(ada.tenant.id, asEve)).toBe(false)
    const globe = await signInTestMember(members, database, { slug: 'globe', now })
    const asGlobe = { memberId: ada.member.id, sessionId: ada.sessionId, now }
    expect(await members.endSession(globe.tenant.id, asGlobe)).toBe(false)
    expect(await verify(ada.token)).toBeDefined()
  })

  test('of an access token ends its integration, and no browser', async () => {
    await members.revokeToken(ada.tenant.id, { tokenId: access.tokenId, now })
    expect(await verify(access.token, { recent: true })).toBeUndefined()
    expect(await verify(ada.token)).toBeDefined()
    const sessions = await members.listSessions(ada.tenant.id, ada.member.id, now)
    expect(sessions.map(({ id }) => id)).toContain(ada.sessionId)
    expect(sessions.map(({ id }) => id)).not.toContain(access.sessionId)
  })

  /** What a silent code is exchanged for: a token of the browser's own session. */
  async function issueRidingToken(ttlMs: number) {
    const tokenId = uuidv7()
    const { tenant, member, sessionId } = ada
    const expiresAt = new Date(now.getTime() + ttlMs)
    await database.pool.query(
      `insert into member_tokens (tenant_id, id, session_id, kind, client_id, issued_at, expires_at)
       values ($1, $2, $3, 'access', 'partner', $4, $5)`,
      [tenant.id, tokenId, sessionId, now, expiresAt],
    )
    const content = { memberId: member.id, sessionId, tokenId, clientId: 'partner', issuedAt: now, expiresAt }
    return { tokenId, token: await members.signAccessToken(tenant, content) }
  }

  test("of a token that rides a browser's session leaves that session", async () => {
    const riding = await issueRidingToken(dayMs)
    expect(await verify(riding.token)).toBeDefined()
    await members.revokeToken(ada.tenant.id, { tokenId: riding.tokenId, now })
    expect(await verify(riding.token)).toBeUndefined()
    expect(await verify(ada.token)).toBeDefined()
    // Also for a process that did not hear of it.
    const other = openTestMembers(database, { nowMs: () => now.getTime(), directUrl: unreachable })
    try {
      const elsewhere = (token: string) =>
        other.verifyMemberToken({ tenant: ada.tenant, token, kinds: both, recent: true })
      expect(await elsewhere(riding.token)).toBeUndefined()
      expect(await elsewhere(ada.token)).toBeDefined()
    } finally {
      await other.close()
    }
  })

  test('by time is seen to the second, whatever is believed, also of a token whose session goes on', async () => {
    const { token } = await issueRidingToken(5_000)
    now = new Date(now.getTime() + 4_000)
    expect(await verify(token, { recent: true })).toBeDefined()
    now = new Date(now.getTime() + 1_000)
    expect(await verify(token, { recent: true })).toBeUndefined()
  })

  test('is seen by another process within moments, whoever brings it about', async () => {
    const other = openTestMembers(database, { nowMs: () => now.getTime() })
    try {
      const elsewhere = (token: string) =>
        other.verifyMemberToken({ tenant: ada.tenant, token, kinds: both, recent: true })
      // It hears of ends from when it listens.
      await expect
        .poll(async () => {
          const { rows } = await database.pool.query(
            `select count(*)::int as listening from pg_stat_activity
             where datname = current_database() and query = 'listen "usher_members"'`,
          )
          return rows[0].listening
        })
        .toBe(2)
      expect(await elsewhere(ada.token)).toBeDefined()
      await end()
      await expect.poll(() => elsewhere(ada.token), { interval: 10 }).toBeUndefined()

      expect(await elsewhere(access.token)).toBeDefined()
      await database.pool.query('update member_tokens set revoked_at = now() where id = $1', [access.tokenId])
      await expect.poll(() => elsewhere(access.token), { interval: 10 }).toBeUndefined()
    } finally {
      await other.close()
    }
  })

  test('of which nobody told is seen after ten seconds, and at once by whoever asks the database', async () => {
    const deaf = openTestMembers(database, { nowMs: () => now.getTime(), directUrl: unreachable })
    const ask = ({ token }: { token: string }, recent: boolean) =>
      deaf.verifyMemberToken({ tenant: ada.tenant, token, kinds: both, recent })
    try {
      for (const one of [ada, access]) expect(await ask(one, true)).toBeDefined()
      await database.pool.query('update member_sessions set ended_at = now() where member_id = $1', [
        ada.member.id,
      ])
      for (const one of [ada, access]) expect(await ask(one, true)).toBeDefined()
      expect(await ask(access, false)).toBeUndefined()
      now = new Date(now.getTime() + 9_999)
      expect(await ask(ada, true)).toBeDefined()
      now = new Date(now.getTime() + 1)
      expect(await ask(ada, true)).toBeUndefined()
    } finally {
      await deaf.close()
    }
  })
})

describe('while the database is away', () => {
  let proxy: DatabaseProxy
  beforeEach(async () => {
    proxy = await startDatabaseProxy(database.url)
  })
  afterEach(() => proxy.close())

  test('a token that was good a moment ago is believed where that is enough; else it is 503, and nothing is refused', async () => {
    const through = openTestMembers(
      { db: database.db, url: proxy.url },
      { nowMs: () => now.getTime(), directUrl: unreachable },
    )
    const ask = (recent: boolean) =>
      through.verifyMemberToken({ tenant: ada.tenant, token: ada.token, kinds: both, recent })
    try {
      expect(await ask(true)).toBeDefined()
      await proxy.cut()
      expect(await ask(true)).toBeDefined()
      await expect(ask(false)).rejects.toMatchObject({ status: 503 })
      expect(await ask(true)).toBeDefined()
      now = new Date(now.getTime() + 10_000)
      await expect(ask(true)).rejects.toMatchObject({ status: 503 })
      await proxy.restore()
      now = new Date(now.getTime() + 2_000)
      expect(await ask(true)).toBeDefined()
    } finally {
      await through.close()
    }
  })
})
