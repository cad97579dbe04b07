import { randomBytes } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openSecrets, type Secrets } from '../../foundation/secrets/index.ts'
import { uuidv7 } from '../../foundation/uuid.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { createTestTenant } from '../../testing/tenant.ts'
import { insertDeviceSession } from '../member-sessions.store.ts'
import { insertMember } from '../members.store.ts'
import { makeSigningKey } from './make-signing-key.ts'
import { type KeyRings, openKeyRings } from './open-key-rings.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { insertSigningKey, lockSigningKeys } from './signing-keys.store.ts'

const dayMs = 86_400_000
const begin = new Date('2026-05-01T00:00:00Z')
const day = (count: number) => new Date(begin.getTime() + count * dayMs)

const secrets = openSecrets([randomBytes(32)])
let database: TestDatabase
let tenantId: string
let now: Date
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  tenantId = await createTestTenant(database.db)
  now = begin
})

/** The keys as one process of the platform has them. */
const openProcess = (parts: Partial<Parameters<typeof openKeyRings>[0]> = {}): KeyRings =>
  openKeyRings({
    db: database.db,
    lookupDb: database.db,
    secrets,
    reachability: { awayUntil: 0 },
    nowMs: () => now.getTime(),
    ...parts,
  })
const rotate = (options: { force?: boolean; secrets?: Secrets } = {}) =>
  rotateSigningKeys({
    db: database.db,
    secrets,
    tenantId,
    now,
    actor: { kind: 'system', name: 'test' },
    ...options,
  })
const kids = async (process: KeyRings) => (await process.publicKeys(tenantId)).map(({ kid }) => kid)
const kidOf = (token: string) => decodeProtectedHeader(token).kid

describe("a tenant's first key", () => {
  test('is there when it is first asked for, and one however many ask at once', async () => {
    const processes = Array.from({ length: 4 }, () => openProcess())
    const asked = processes.flatMap(process => [process.publicKeys(tenantId), process.publicKeys(tenantId)])
    const [keys, ...others] = await Promise.all(asked)
    expect(keys).toEqual([
      {
        kty: 'RSA',
        use: 'sig',
        alg: 'RS256',
        kid: expect.stringMatching(/^[\w-]{43}$/),
        n: expect.stringMatching(/^[\w-]{342}$/),
        e: 'AQAB',
      },
    ])
    for (const other of others) expect(other).toEqual(keys)
  })

  test('signs at once, also in a process whose clock lags behind', async () => {
    await openProcess().publicKeys(tenantId)
    const lagging = openProcess({ nowMs: () => now.getTime() - 60_000 })
    await lagging.signJwt(tenantId, 'JWT', {})
    expect(await kids(openProcess())).toHaveLength(1)
  })

  test("is not another tenant's", async () => {
    const process = openProcess()
    const other = await createTestTenant(database.db)
    const [kid = ''] = await kids(process)
    expect(await process.findPublicKey(tenantId, kid)).toBeDefined()
    expect(await process.findPublicKey(other, kid)).toBeUndefined()
    expect((await process.publicKeys(other))[0]?.kid).not.toBe(kid)
  })

  test('verifies what it signed, by any library', async () => {
    const process = openProcess()
    const token = await process.signJwt(tenantId, 'at+jwt', { sub: 'ä', exp: begin.getTime() / 1_000 + 60 })
    const keys = createLocalJWKSet({ keys: await process.publicKeys(tenantId) })
    const { payload, protectedHeader } = await jwtVerify(token, keys, { currentDate: now })
    expect(payload).toEqual({ sub: 'ä', exp: begin.getTime() / 1_000 + 60 })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: (await kids(process))[0] })
  })
})

describe('a private key in the database', () => {
  test('is sealed', async () => {
    await openProcess().publicKeys(tenantId)
    const { rows } = await database.pool.query('select * from signing_keys where tenant_id = $1', [tenantId])
    // The first bytes of any PKCS #8 RSA key: its algorithm.
    const algorithm = Buffer.from('2a864886f70d010101', 'hex')
    expect(rows[0].sealed_private_key.includes(algorithm)).toBe(false)
    expect(JSON.stringify(rows[0].public_jwk)).not.toMatch(/"(d|p|q|dp|dq|qi)":/)
  })

  test('is of no use in the row of another tenant', async () => {
    await openProcess().publicKeys(tenantId)
    const thief = await createTestTenant(database.db)
    await database.pool.query(
      `insert into signing_keys (tenant_id, kid, public_jwk, sealed_private_key, created_at, signs_from)
       select $2, kid, public_jwk, sealed_private_key, created_at, signs_from from signing_keys where tenant_id = $1`,
      [tenantId, thief],
    )
    await expect(openProcess().signJwt(thief, 'JWT', {})).rejects.toThrow('authenticate')
  })

  test('is of no use without the secret key, and the error says what to do', async () => {
    await openProcess().publicKeys(tenantId)
    const stranger = openProcess({ secrets: openSecrets([randomBytes(32)]) })
    await expect(stranger.signJwt(tenantId, 'JWT', {})).rejects.toThrow(/Add that key to the end/)
  })
})

describe('the rotation of keys', () => {
  test('publishes a key a day before it signs, every 90 days', async () => {
    await rotate()
    const [first] = await kids(openProcess())
    now = day(88)
    await rotate()
    expect(await kids(openProcess())).toEqual([first])

    now = day(89)
    await Promise.all([rotate(), rotate(), rotate()])
    const process = openProcess()
    const published = await kids(process)
    expect(published).toEqual([first, expect.any(String)])
    expect(kidOf(await process.signJwt(tenantId, 'JWT', {}))).toBe(first)

    now = new Date(day(90).getTime() + 1)
    expect(kidOf(await process.signJwt(tenantId, 'JWT', {}))).toBe(published[1])
    // Asking for it again changes nothing.
    await rotate()
    expect(await kids(openProcess())).toEqual(published)
  })

  test('by hand does the same whatever the age of the key, and nothing while one waits already', async () => {
    await rotate()
    now = day(1)
    await rotate({ force: true })
    await rotate({ force: true })
    const { rows } = await database.pool.query(
      'select kid, signs_from, signs_until from signing_keys where tenant_id = $1 order by signs_from',
      [tenantId],
    )
    expect(rows).toEqual([
      { kid: expect.any(String), signs_from: expect.any(Date), signs_until: day(2) },
      { kid: expect.any(String), signs_from: day(2), signs_until: null },
    ])
  })

  test('makes no key that the platform could not open', async () => {
    await rotate()
    await expect(rotate({ force: true, secrets: openSecrets([randomBytes(32)]) })).rejects.toThrow(
      /USHER_SECRET_KEY/,
    )
    expect(await kids(openProcess())).toHaveLength(1)
  })

  test('waits for another process that is about to make the key, and leaves it at that', async () => {
    await rotate()
    now = day(89)
    let rotating: Promise<unknown> | undefined
    await database.db.transaction().execute(async trx => {
      await lockSigningKeys(trx, tenantId)
      rotating = rotate()
      await expect
        .poll(async () => {
          const { rows } = await database.pool.query(
            `select count(*)::int as waiting from pg_locks l join pg_database d on d.oid = l.database
             where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
          )
          return rows[0].waiting
        })
        .toBe(1)
      const made = await makeSigningKey(tenantId, secrets)
      await insertSigningKey(trx, tenantId, { ...made, createdAt: now, signsFrom: day(90) })
    })
    await rotating
    expect(await kids(openProcess())).toHaveLength(2)
  })

  test('is in the audit trail', async () => {
    await rotate()
    now = day(1)
    await rotate({ force: true })
    const { rows } = await database.pool.query(
      'select action, target, actor_name, details from audit_entries where tenant_id = $1 order by id',
      [tenantId],
    )
    const entry = (kid: unknown, signsFrom: string) => ({
      action: 'signing_key.made',
      target: kid,
      actor_name: 'test',
      details: { signs_from: signsFrom },
    })
    const [first, second] = await kids(openProcess())
    expect(rows).toEqual([
      entry(first, '2026-04-30T23:00:00.000Z'),
      entry(second, '2026-05-03T00:00:00.000Z'),
    ])
  })

  test('keeps a key until the last token that it signed has expired', async () => {
    await rotate()
    const [first] = await kids(openProcess())
    const member = { id: uuidv7(), email: 'a@example.com', name: null, createdAt: day(0) }
    await insertMember(database.db, tenantId, member)
    const issue = (issuedAt: Date, expiresAt: Date) =>
      insertDeviceSession(database.db, tenantId, {
        sessionId: uuidv7(),
        memberId: member.id,
        userAgent: '',
        address: null,
        tokenId: uuidv7(),
        issuedAt,
        expiresAt,
      })
    await issue(day(1), day(400))
    await issue(day(3), day(33))
    now = day(1)
    await rotate({ force: true })
    now = day(3)
    await rotate()
    now = day(399)
    await rotate()
    expect(await kids(openProcess())).toContain(first)
    now = day(401)
    expect(await kids(openProcess())).not.toContain(first)
    expect(await openProcess().findPublicKey(tenantId, first ?? '')).toBeUndefined()
    await rotate()
    const { rows } = await database.pool.query('select kid from signing_keys where tenant_id = $1', [
      tenantId,
    ])
    expect(rows.map(({ kid }) => kid)).not.toContain(first)
  })

  test('fails no verification: a key that was made a moment ago elsewhere is found', async () => {
    const verifying = openProcess()
    await verifying.publicKeys(tenantId)
    await rotate({ force: true })
    const published = await kids(openProcess())
    expect(published).toHaveLength(2)
    // Nobody told this process, and what it keeps is fresh.
    for (const kid of published) expect(await verifying.findPublicKey(tenantId, kid ?? '')).toBeDefined()
  })
})
