import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOAuthPlatform, type OAuthPlatform, type SignedIn } from '../testing/oauth-platform.ts'
import { type ProbeCode, probeCodeStorer, type StoreProbeCode } from './probe-codes.store.ts'

let platform: OAuthPlatform
let store: StoreProbeCode
let ours: SignedIn
let theirs: SignedIn
beforeAll(async () => {
  platform = await createOAuthPlatform()
  store = probeCodeStorer(platform.database.db)
  ours = await platform.signIn('acme')
  theirs = await platform.signIn('globe')
})
afterAll(() => platform.close())

/** A code that is to be stored, but for what a test says. */
function codeWith(other: Partial<ProbeCode> = {}): ProbeCode {
  const issuedAt = new Date()
  return {
    tenantId: platform.tenants.acme.id,
    codeHash: randomBytes(32),
    clientId: 'partner',
    origin: 'https://news.acme.example',
    memberId: ours.memberId,
    sessionId: ours.sessionId,
    issuedAt,
    expiresAt: new Date(issuedAt.getTime() + 30_000),
    ...other,
  }
}
async function endedSession(set: string): Promise<Pick<ProbeCode, 'memberId' | 'sessionId'>> {
  const { memberId, sessionId } = await platform.signIn('acme')
  await platform.database.pool.query(`update member_sessions set ${set} where id = $1`, [sessionId])
  return { memberId, sessionId }
}
const unregistered = { isRegistered: false, isLive: true }
const over = { isRegistered: true, isLive: false }

describe('codes of probes that come at once', () => {
  test('are stored for a client, an origin and a session of their tenant alone, each answered by itself', async () => {
    const good = { isRegistered: true, isLive: true }
    const ofGlobe = {
      tenantId: platform.tenants.globe.id,
      origin: 'https://news.globe.example',
      memberId: theirs.memberId,
      sessionId: theirs.sessionId,
    }
    const cases: [ProbeCode, { isRegistered: boolean; isLive: boolean }][] = [
      [codeWith(), good],
      [codeWith({ clientId: 'off' }), unregistered],
      [codeWith({ clientId: 'closed' }), unregistered],
      [codeWith({ clientId: 'nobody' }), unregistered],
      [codeWith({ origin: 'https://shop.acme.example' }), unregistered],
      // Registered by the other tenant's client of the same name.
      [codeWith({ origin: ofGlobe.origin }), unregistered],
      [codeWith({ memberId: theirs.memberId, sessionId: theirs.sessionId }), over],
      [codeWith(await endedSession('ended_at = now()')), over],
      [codeWith(await endedSession("expires_at = now() - interval '1 second'")), over],
      [
        codeWith({ ...(await endedSession('ended_at = now()')), clientId: 'off' }),
        { isRegistered: false, isLive: false },
      ],
      [codeWith(ofGlobe), good],
    ]
    expect(await Promise.all(cases.map(([code]) => store(code)))).toEqual(cases.map(([, answer]) => answer))

    const { rows } = await platform.database.pool.query(
      'select tenant_id, code_hash, session_id, redirect_uri from authorization_codes where code_hash = any($1)',
      [cases.map(([{ codeHash }]) => codeHash)],
    )
    const stored = (code: ProbeCode | undefined, redirectUri: string) => ({
      tenant_id: code?.tenantId,
      code_hash: code?.codeHash,
      session_id: code?.sessionId,
      redirect_uri: redirectUri,
    })
    expect(rows).toHaveLength(2)
    expect(rows).toEqual(
      expect.arrayContaining([
        stored(cases[0]?.[0], 'https://app.partner.example/callback'),
        stored(cases.at(-1)?.[0], 'https://app.globe.example/callback'),
      ]),
    )
  })
})
