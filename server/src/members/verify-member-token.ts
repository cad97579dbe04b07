import { hash } from 'node:crypto'
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Database } from '../foundation/database/index.ts'
import { createLookups, type Reachability } from '../foundation/lookups.ts'
import { type Tenant, tenantOrigin } from '../tenancy/index.ts'
import { endedLately } from './ended-lately.ts'
import type { TokenKind, VerifiedToken } from './member-token.ts'
import { findTokenStates, type TokenState, tokenKey } from './member-tokens.store.ts'
import { typOf } from './sign-member-token.ts'
import type { KeyRings } from './signing-keys/open-key-rings.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Far longer than any token of ours. */
const maxTokenLength = 4_096
/** Most signatures that are remembered as verified, by the token's hash. */
const maxSigned = 10_000
/** How long the state of a token is believed without word, in Unix milliseconds. */
const believedMs = 10_000

export interface VerifyOptions {
  tenant: Tenant
  token: string
  kinds: readonly TokenKind[]
  /** Believes what was found out in the last seconds; else the database is asked. */
  recent?: boolean
}

export interface TokenVerifier {
  /** A good token, and what stands behind it. Throws 503 when the database is away. */
  verify(options: VerifyOptions): Promise<{ token: VerifiedToken; state: TokenState } | undefined>
  /** A session or a token came to an end, and is good no more from now on. */
  noteEnd(id: string): void
  /** Ends may have gone unnoticed. */
  invalidate(): void
}

/** What a signature vouches for. */
interface Signed {
  kind: TokenKind
  kid: string
  claims: JWTPayload & { sub: string; sid: string; jti: string; iat: number; exp: number }
}

const kinds = Object.entries(typOf) as [TokenKind, string][]

function readHeader(token: string): { kind: TokenKind; kid: string } | undefined {
  try {
    const { typ, kid } = decodeProtectedHeader(token)
    const kind = kinds.find(([, known]) => known === typ)?.[0]
    return kind && kid ? { kind, kid } : undefined
  } catch {
    return undefined
  }
}

/** Verifies members' tokens. A token is good while its signature, its row, its session and its client are: the
 *  signature is remembered, the rest is asked of the database or believed for ten seconds, and an end that this
 *  process heard of is believed at once. */
export function createTokenVerifier(options: {
  /** For look-ups alone, so that a pool that is used up does not hold them up. */
  db: Database
  keyRings: KeyRings
  publicUrl: URL
  isClientEnabled(tenantId: string, clientId: string): Promise<boolean>
  reachability: Reachability
  nowMs(): number
}): TokenVerifier {
  const { db, keyRings, publicUrl, isClientEnabled, nowMs } = options
  const ended = endedLately(3 * believedMs, nowMs)
  const signatures = new Map<string, Signed>()
  const states = createLookups<TokenState>({
    loadMany: keys => findTokenStates(db, keys, new Date(nowMs())),
    refreshAfterMs: believedMs / 2,
    expireAfterMs: believedMs,
    maxEntries: 10_000,
    deadlineMs: 2_000,
    reachability: options.reachability,
    nowMs,
  })

  /** What the token's signature vouches for, if it is this tenant's and the token has not expired (RFC 8725). */
  async function readSigned(tenant: Tenant, token: string): Promise<Signed | undefined> {
    const header = readHeader(token)
    if (!header) return undefined
    const { kind, kid } = header
    const key = await keyRings.findPublicKey(tenant.id, kid)
    if (!key) return undefined
    const name = `${tenant.id} ${tenant.domain} ${hash('sha256', token, 'base64url')}`
    const known = signatures.get(name)
    if (known) return known.claims.exp * 1_000 > nowMs() ? known : undefined
    const iss = tenantOrigin(publicUrl, tenant.domain)
    try {
      const { payload } = await jwtVerify(token, key, {
        // The kind of key decides, not what the token says.
        algorithms: ['RS256'],
        typ: typOf[kind],
        issuer: iss,
        audience: iss,
        requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
        currentDate: new Date(nowMs()),
      })
      if (!uuid.test(String(payload.jti))) return undefined
      const signed = { kind, kid, claims: payload as Signed['claims'] }
      if (signatures.size >= maxSigned) signatures.clear()
      signatures.set(name, signed)
      return signed
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  async function findState(key: string, recent: boolean): Promise<TokenState | undefined> {
    const known = recent ? states.recent(key) : undefined
    return known ? known.value : states.load(key)
  }

  return {
    async verify({ tenant, token, kinds: wanted, recent = false }) {
      if (token.length > maxTokenLength) return undefined
      const signed = await readSigned(tenant, token)
      if (!signed || !wanted.includes(signed.kind)) return undefined
      const { claims, kind } = signed
      const state = await findState(tokenKey(tenant.id, claims.jti), recent)
      if (!state || state.kind !== kind || state.sessionId !== claims.sid) return undefined
      if (state.member.id !== claims.sub || state.sessionExpiresAt.getTime() <= nowMs()) return undefined
      if (ended.has(state.sessionId) || ended.has(claims.jti)) return undefined
      if (state.clientId !== null && !(await isClientEnabled(tenant.id, state.clientId))) return undefined
      return {
        token: {
          kind,
          memberId: claims.sub,
          sessionId: claims.sid,
          tokenId: claims.jti,
          clientId: state.clientId ?? undefined,
          issuedAt: new Date(claims.iat * 1_000),
          expiresAt: new Date(claims.exp * 1_000),
          claims,
        },
        state,
      }
    },
    noteEnd: ended.add,
    invalidate: states.invalidate,
  }
}
