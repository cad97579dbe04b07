import { hash } from 'node:crypto'
import type { TokenResponse } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import type { Members } from '../members/index.ts'
import type { Tenant } from '../tenancy/index.ts'
import { type AuthenticatedClient, authenticateClient } from './authenticate-client.ts'
import { hashCode } from './authorization-code.ts'
import { type ConsumeCode, findCode, type StoredCode } from './authorization-codes.store.ts'
import type { ClientCache } from './client-cache.ts'
import { formValue } from './form.ts'
import { OAuthError } from './oauth-error.ts'
import { makeIdToken } from './openid/make-id-token.ts'
import { grantScope, isOtherScope } from './openid/scopes.ts'

export interface ExchangeParts {
  db: Database
  clients: ClientCache
  members: Pick<Members, 'signAccessToken' | 'signIdToken' | 'revokeToken'>
  consumeCode: ConsumeCode
  nowMs(): number
}

export interface ExchangeRequest {
  tenant: Tenant
  authorization: string | undefined
  form: URLSearchParams
  userAgent: string
  /** "" when the socket is gone. */
  address: string
}

/** RFC 7636 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
/** No challenge is empty, so this fits none. */
const NO_CHALLENGE = ''
/** A code that comes again within this time was sent twice by its client or by a proxy, and its token stays good. */
const DOUBLE_SUBMIT_MS = 10_000

const AGAIN = 'Send the browser to the authorization endpoint again.'
const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)

/** Exchanges an authorization code for an access token, and with `openid` in its scope an id_token (interface 4.7, 4.10 and
 *  7; RFC 6749 4.1.3; OpenID Connect Core 3.1.3), in the order of decisions ("OAuth"). Throws an OAuthError, and 503 when the database is away. */
export async function exchangeCode(parts: ExchangeParts, request: ExchangeRequest): Promise<TokenResponse> {
  const { tenant, form } = request
  const authenticated = await authenticateClient(parts.clients, tenant.id, request)
  checkGrantType(form)
  const { code, redirectUri, verifier } = readParameters(form)

  const now = new Date(parts.nowMs())
  const tokenId = uuidv7()
  const { clientId } = authenticated.client
  const used = await parts.consumeCode(tenant.id, {
    codeHash: hashCode(code),
    clientId,
    secretHash: authenticated.secretHash,
    redirectUri,
    challenge: challengeOf(verifier),
    freshSessionId: uuidv7(),
    tokenId,
    userAgent: request.userAgent,
    address: request.address || null,
    now,
    expiresAt: new Date(now.getTime() + tenant.signIn.accessTokenTtlS * 1_000),
  })
  if (!used) throw await explainRefusal(parts, tenant, authenticated, { code, redirectUri, verifier, now })

  const { memberId, sessionId, expiresAt } = used
  const scope = grantScope(used.scope)
  const content = { memberId, sessionId, tokenId, clientId, scope, issuedAt: now, expiresAt }
  const accessToken = await parts.members.signAccessToken(tenant, content)
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: toSeconds(expiresAt) - toSeconds(now),
  }
  if (scope === null) return response
  // Signed after the other, as it carries the hash of all of it.
  const idToken = await makeIdToken(parts.members, tenant, {
    ...used,
    scope,
    clientId,
    accessToken,
    issuedAt: now,
  })
  return { ...response, id_token: idToken, ...(isOtherScope(used.scope, scope) && { scope }) }
}

/** The token's own times are whole seconds too. */
const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000)

function checkGrantType(form: URLSearchParams): void {
  const grantType = formValue(form, 'grant_type')
  if (grantType === undefined)
    throw new OAuthError('invalid_request', 'grant_type is missing. It must be authorization_code.')
  if (grantType !== 'authorization_code')
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code.')
}

interface Parameters {
  code: string
  redirectUri: string
  verifier: string | undefined
}

function readParameters(form: URLSearchParams): Parameters {
  const code = formValue(form, 'code')
  const redirectUri = formValue(form, 'redirect_uri')
  const verifier = formValue(form, 'code_verifier')
  if (code === undefined) throw new OAuthError('invalid_request', 'code is missing.')
  if (redirectUri === undefined) throw new OAuthError('invalid_request', 'redirect_uri is missing.')
  // PostgreSQL takes no NUL. No registered URI has one, and none is empty.
  return { code, redirectUri: redirectUri.includes('\0') ? '' : redirectUri, verifier }
}

/** What a verifier proves to know (RFC 7636 4.6); null when none was sent. */
function challengeOf(verifier: string | undefined): string | null {
  if (verifier === undefined) return null
  return VERIFIER.test(verifier) ? hash('sha256', verifier, 'base64url') : NO_CHALLENGE
}

/** Says why a code could not be used. What a replayed code was exchanged for is revoked (RFC 6749 4.1.2), unless it comes
 *  right after its use, when it is the same request sent twice (interface 7). */
async function explainRefusal(
  { db, clients, members }: ExchangeParts,
  tenant: Tenant,
  { client: { clientId }, secretHash, refuse }: AuthenticatedClient,
  { code, redirectUri, verifier, now }: Parameters & { now: Date },
): Promise<OAuthError> {
  const client = await clients.findFresh(tenant.id, clientId)
  if (!client?.enabled || !client.secretHash.equals(secretHash)) return refuse()
  const stored = await findCode(db, tenant.id, hashCode(code))
  if (stored?.clientId !== clientId) return invalidGrant(`The code is unknown. ${AGAIN}`)
  const { usedAt, tokenId } = stored
  if (usedAt !== null && tokenId !== null && now.getTime() - usedAt.getTime() > DOUBLE_SUBMIT_MS)
    await members.revokeToken(tenant.id, { tokenId, now })
  return invalidGrant(faultOf(stored, { redirectUri, verifier, now }))
}

function faultOf(
  stored: StoredCode,
  { redirectUri, verifier, now }: Omit<Parameters, 'code'> & { now: Date },
): string {
  if (stored.usedAt !== null) return `The code was used already. ${AGAIN}`
  if (stored.expiresAt <= now) return `The code has expired. ${AGAIN}`
  if (stored.redirectUri !== redirectUri) return 'redirect_uri is another than the code was issued for.'
  if (stored.codeChallenge === null)
    return verifier === undefined
      ? `The session of the member has ended. ${AGAIN}`
      : 'code_verifier was sent, but no code_challenge before.'
  if (verifier === undefined) return 'code_verifier is missing, as a code_challenge was sent.'
  if (!VERIFIER.test(verifier)) return 'code_verifier must be 43 to 128 letters, digits and marks of "-._~".'
  return stored.codeChallenge === challengeOf(verifier)
    ? `The session of the member has ended. ${AGAIN}`
    : 'code_verifier does not fit the code_challenge.'
}
