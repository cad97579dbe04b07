import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import type { Database } from '../../foundation/database/index.ts'
import { createLookups, type Lookups, type Reachability } from '../../foundation/lookups.ts'
import type { Secrets } from '../../foundation/secrets/index.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { type StoredSigningKey, sealPurpose, signingKeyAt } from './signing-key.ts'
import { findSigningKeys } from './signing-keys.store.ts'

const signInThreadPool = promisify(sign)

/** One key, opened when it is first used. */
interface RingKey extends StoredSigningKey {
  publicKey(): KeyObject
  privateKey(): KeyObject
}

/** The keys of all tenants. Every method throws 503 when the database is away and the tenant's keys are not known. */
export interface KeyRings {
  /** A JWT in compact form, signed with RS256 by the tenant's key of now. Signs in the thread pool. */
  signJwt(tenantId: string, typ: string, claims: Record<string, unknown>): Promise<string>
  /** The published key of a kid, also one that was made a moment ago elsewhere; undefined for another tenant's. */
  findPublicKey(tenantId: string, kid: string): Promise<KeyObject | undefined>
  /** As JWKS has them; there is always one. */
  publicKeys(tenantId: string): Promise<JWK[]>
  /** Has every tenant's keys looked up again. */
  invalidate(): void
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url')

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Keeps the keys of tenants that are in use. A change is told by `invalidate`; without word it shows after a
 *  minute at the latest, and a key is published a day before it signs. */
export function openKeyRings(options: {
  db: Database
  /** For look-ups alone, so that a pool that is used up does not hold them up. */
  lookupDb: Database
  secrets: Secrets
  reachability: Reachability
  nowMs(): number
}): KeyRings {
  const { db, lookupDb, secrets, nowMs } = options

  function toRingKey(tenantId: string, key: StoredSigningKey): RingKey {
    return {
      ...key,
      publicKey: once(() => createPublicKey({ key: key.publicJwk, format: 'jwk' })),
      privateKey: once(() => {
        const plain = secrets.open(sealPurpose(tenantId, key.kid), key.sealedPrivateKey)
        return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' })
      }),
    }
  }

  const rings: Lookups<RingKey[]> = createLookups<RingKey[]>({
    async loadMany(tenantIds) {
      const found = await findSigningKeys(lookupDb, tenantIds)
      return new Map(
        [...found].map(([tenantId, keys]) => {
          // A key that is open stays open.
          const open = new Map((rings.last(tenantId)?.value ?? []).map(key => [key.kid, key]))
          const ring = keys.map(key => ({ ...(open.get(key.kid) ?? toRingKey(tenantId, key)), ...key }))
          return [tenantId, ring]
        }),
      )
    },
    refreshAfterMs: 30_000,
    expireAfterMs: 60_000,
    maxEntries: 10_000,
    deadlineMs: 2_000,
    reachability: options.reachability,
    nowMs,
  })

  /** Tenants whose first key is being made. */
  const making = new Map<string, Promise<unknown>>()
  async function makeFirst(tenantId: string): Promise<void> {
    const running =
      making.get(tenantId) ??
      rotateSigningKeys({
        db,
        secrets,
        tenantId,
        now: new Date(nowMs()),
        actor: { kind: 'system', name: 'first-use' },
      })
    making.set(tenantId, running)
    try {
      await running
    } finally {
      making.delete(tenantId)
    }
  }

  /** What is known while the database is away is still right: a key that was good stays it. */
  async function loadRing(tenantId: string): Promise<RingKey[]> {
    try {
      return (await rings.load(tenantId)) ?? []
    } catch (error) {
      const last = rings.last(tenantId)?.value
      if (last === undefined) throw error
      return last
    }
  }

  const ringOf = (tenantId: string): RingKey[] | Promise<RingKey[]> =>
    rings.recent(tenantId)?.value ?? loadRing(tenantId)

  /** The tenant's keys, of which one signs now; its first is made here. */
  async function usableRing(tenantId: string): Promise<{ ring: RingKey[]; signer: RingKey }> {
    const now = new Date(nowMs())
    const ring = await ringOf(tenantId)
    const signer = signingKeyAt(ring, now)
    if (signer) return { ring, signer }
    await makeFirst(tenantId)
    const made = await loadRing(tenantId)
    const first = signingKeyAt(made, new Date(nowMs()))
    if (!first) throw new Error(`The tenant ${tenantId} has no key that signs.`)
    return { ring: made, signer: first }
  }

  const isPublished = ({ publishedUntil }: RingKey): boolean =>
    publishedUntil === null || publishedUntil.getTime() > nowMs()

  return {
    async signJwt(tenantId, typ, claims) {
      const { signer } = await usableRing(tenantId)
      const header = base64url(JSON.stringify({ alg: 'RS256', typ, kid: signer.kid }))
      const content = `${header}.${base64url(JSON.stringify(claims))}`
      const signature = await signInThreadPool('sha256', Buffer.from(content), signer.privateKey())
      return `${content}.${signature.toString('base64url')}`
    },
    async findPublicKey(tenantId, kid) {
      const find = (ring: readonly RingKey[] | undefined) =>
        ring?.find(key => key.kid === kid && isPublished(key))
      const known = find(await ringOf(tenantId)) ?? find(await loadRing(tenantId))
      return known?.publicKey()
    },
    async publicKeys(tenantId) {
      const { ring } = await usableRing(tenantId)
      return ring.filter(isPublished).map(({ publicJwk }) => publicJwk as JWK)
    },
    invalidate: rings.invalidate,
  }
}
