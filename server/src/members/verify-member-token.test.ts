import { createHmac, createPrivateKey, createPublicKey, type JsonWebKey, sign } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, exportSPKI, importJWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { openSecrets } from '../foundation/secrets/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { signInTestMember, TEST_SECRET_KEY } from '../testing/members.ts'
import { both, useTestTokens } from '../testing/use-test-tokens.ts'
import { sealPurpose } from './signing-keys/signing-key.ts'

const given = useTestTokens()
const { verify } = given

/** A token with a header and claims of one's own, signed with the key of acme's that signs. */
async function forge(header: object, claims: object, make?: (content: string) => string): Promise<string> {
  const { rows } = await given.database.pool.query(
    'select kid, sealed_private_key from signing_keys where tenant_id = $1',
    [given.ada.tenant.id],
  )
  const { kid, sealed_private_key: sealed } = rows[0]
  const key = createPrivateKey({
    key: openSecrets([TEST_SECRET_KEY]).open(sealPurpose(given.ada.tenant.id, kid), sealed),
    format: 'der',
    type: 'pkcs8',
  })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part({ ...decodeProtectedHeader(given.ada.token), ...header })}.${part({ ...decodeJwt(given.ada.token), ...claims })}`
  return `${content}.${make ? make(content) : sign('sha256', Buffer.from(content), key).toString('base64url')}`
}

describe('a device token (decisions, "OAuth")', () => {
  test('is good, and says this and no more', async () => {
    expect(decodeProtectedHeader(given.ada.token)).toEqual({
      alg: 'RS256',
      typ: 'device+jwt',
      kid: expect.stringMatching(/^[\w-]{43}$/),
    })
    const iat = Date.parse('2026-05-01T12:00:00Z') / 1_000
    const claims = {
      iss: 'http://members.acme.example',
      aud: 'http://members.acme.example',
      sub: given.ada.member.id,
      sid: given.ada.sessionId,
      jti: expect.any(String),
      iat,
      exp: iat + 30 * 86_400,
    }
    expect(decodeJwt(given.ada.token)).toEqual(claims)
    expect(await verify(given.ada.token)).toEqual({
      kind: 'device',
      memberId: given.ada.member.id,
      sessionId: given.ada.sessionId,
      tokenId: expect.any(String),
      clientId: undefined,
      issuedAt: new Date(iat * 1_000),
      expiresAt: new Date((iat + 30 * 86_400) * 1_000),
      claims,
    })
  })

  test('is good to its last second and no longer', async () => {
    given.now = new Date('2026-05-31T11:59:59.999Z')
    expect(await verify(given.ada.token)).toBeDefined()
    given.now = new Date('2026-05-31T12:00:00.000Z')
    expect(await verify(given.ada.token)).toBeUndefined()
    expect(await verify(given.ada.token, { recent: true })).toBeUndefined()
  })
})

describe('an access token (decisions, "OAuth"; RFC 9068)', () => {
  test('is good, and says this and no more', async () => {
    expect(decodeProtectedHeader(given.access.token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
    expect(decodeJwt(given.access.token)).toEqual({
      iss: 'http://members.acme.example',
      aud: ['http://members.acme.example', 'partner'],
      azp: 'partner',
      client_id: 'partner',
      sub: given.ada.member.id,
      sid: given.access.sessionId,
      jti: given.access.tokenId,
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    expect(await verify(given.access.token)).toMatchObject({ kind: 'access', clientId: 'partner' })
  })

  test('is refused where a device token is wanted, and the other way round', async () => {
    expect(await verify(given.access.token, { kinds: ['device'] })).toBeUndefined()
    expect(await verify(given.ada.token, { kinds: ['access'] })).toBeUndefined()
  })

  test('is refused while its client is disabled', async () => {
    given.enabledClients.clear()
    expect(await verify(given.access.token)).toBeUndefined()
    expect(await verify(given.ada.token)).toBeDefined()
    given.enabledClients.add('partner')
    expect(await verify(given.access.token)).toBeDefined()
  })

  test('becomes no device token when its header is written anew', async () => {
    // Signed by acme's own key, for an access token's row.
    const claims = decodeJwt(given.access.token)
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
    ['a token without its signature', () => given.ada.token.replace(/[^.]*$/, '')],
    ['a token with a changed header', () => changed(given.ada.token, 5)],
    ['a token with changed claims', () => changed(given.ada.token, given.ada.token.indexOf('.') + 20)],
    [
      'a token with a changed signature',
      () => changed(given.ada.token, given.ada.token.lastIndexOf('.') + 20),
    ],
    ['alg none without a signature', () => forge({ alg: 'none' }, {}, () => '')],
    [
      'alg none with the signature kept',
      () => forge({ alg: 'none' }, {}, () => given.ada.token.split('.')[2] ?? ''),
    ],
    ['alg RS512', () => forge({ alg: 'RS512' }, {})],
    ['alg PS256', () => forge({ alg: 'PS256' }, {})],
    [
      'HS256 with the public key as PEM',
      async () => {
        const [jwk = {}] = await given.members.publicKeys(given.ada.tenant.id)
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
        const [jwk = {}] = await given.members.publicKeys(given.ada.tenant.id)
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
    ['an expired one', () => forge({}, { exp: Math.floor(given.now.getTime() / 1_000) })],
    ['one without exp', () => forge({}, { exp: undefined })],
    ['a jti without a row', () => forge({}, { jti: uuidv7() })],
    ['a jti that is no UUID', () => forge({}, { jti: "x' y" })],
    ['no jti', () => forge({}, { jti: undefined })],
    ["another session's sid", () => forge({}, { sid: given.access.sessionId })],
    ['another subject', () => forge({}, { sub: uuidv7() })],
    ['ten thousand characters', () => `${given.ada.token}${'A'.repeat(10_000)}`],
  ])('%s', async ([, make]) => {
    const token = await make()
    expect(await verify(token)).toBeUndefined()
    expect(await verify(token, { recent: true })).toBeUndefined()
  })

  test("another tenant's token", async () => {
    const bob = await signInTestMember(given.members, given.database, { slug: 'globe', now: given.now })
    expect(await verify(bob.token)).toBeUndefined()
    expect(
      await given.members.verifyMemberToken({ tenant: bob.tenant, token: given.ada.token, kinds: both }),
    ).toBeUndefined()
    expect(
      await given.members.verifyMemberToken({ tenant: bob.tenant, token: bob.token, kinds: both }),
    ).toBeDefined()
  })

  test("one signed with another tenant's key, for a row of this tenant", async () => {
    const globe = await signInTestMember(given.members, given.database, { slug: 'globe', now: given.now })
    const { kid } = decodeProtectedHeader(globe.token)
    expect(await verify(await forge({ kid }, {}))).toBeUndefined()
  })
})
