import { createHash, randomBytes } from 'node:crypto'
import type { Secrets } from '../../foundation/secrets/index.ts'

/** What an answer of a provider has to fit to. */
export interface Checks {
  /** In the id_token (OpenID Connect Core 3.1.2.1). */
  nonce: string
  /** Whose hash the provider has (RFC 7636). */
  codeVerifier: string
}

/** A browser that was sent to a provider. */
export interface Attempt {
  /** SHA-256 of the state, which only the browser and the provider know (RFC 9700 4.7). */
  stateHash: Buffer
  /** SHA-256 of the cookie that binds it to its browser. */
  browserHash: Buffer
  providerId: string
  /** What it is for: to go on with a flow, or for a member who is signed in to link an account. */
  purpose: { flowId: string } | { memberId: string; sessionId: string }
  sealedChecks: Buffer
  createdAt: Date
  expiresAt: Date
}

const random = (): string => randomBytes(32).toString('base64url')
const checksPurpose = (stateHash: Buffer): string => `checks of ${stateHash.toString('base64url')}`

/** What is kept of a state. */
export const hashState = (state: string): Buffer => createHash('sha256').update(state).digest()

/** A state, and what goes with it. */
export function makeChecks(secrets: Secrets): {
  state: string
  stateHash: Buffer
  checks: Checks
  sealedChecks: Buffer
} {
  const state = random()
  const stateHash = hashState(state)
  const checks = { nonce: random(), codeVerifier: random() }
  const sealedChecks = secrets.seal(checksPurpose(stateHash), Buffer.from(JSON.stringify(checks)))
  return { state, stateHash, checks, sealedChecks }
}

/** Throws when the key that sealed them is gone. */
export const openChecks = (secrets: Secrets, { stateHash, sealedChecks }: Attempt): Checks =>
  JSON.parse(secrets.open(checksPurpose(stateHash), sealedChecks).toString()) as Checks
