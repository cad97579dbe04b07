import { timingSafeEqual } from 'node:crypto'
import type { OAuthClient } from './client.ts'
import type { ClientCache } from './client-cache.ts'
import { hashSecret } from './client-secret.ts'
import { formValue } from './form.ts'
import { OAuthError } from './oauth-error.ts'

interface Credentials {
  clientId: string
  secret: string
}

/** Credentials in the Authorization header, form-encoded before they were put together (RFC 6749 2.3.1). */
function readBasic(authorization: string | undefined): Credentials | 'none' | 'unreadable' {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]*) *$/i.exec(authorization ?? '') ?? []
  if (encoded === undefined) return /^basic\b/i.test(authorization ?? '') ? 'unreadable' : 'none'
  const [clientId, ...secret] = Buffer.from(encoded, 'base64').toString().split(':')
  if (!clientId || secret.length === 0) return 'unreadable'
  try {
    const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
    return { clientId: decode(clientId), secret: decode(secret.join(':')) }
  } catch {
    return 'unreadable'
  }
}

const REFUSED =
  'The client is unknown or disabled, or its secret is wrong. Check client_id, and client_secret or HTTP Basic.'

const refuseBasic = () =>
  new OAuthError('invalid_client', REFUSED, {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="OAuth client", charset="UTF-8"' },
  })
const refuseBody = () => new OAuthError('invalid_client', REFUSED)

const fits = (client: OAuthClient | undefined, secretHash: Buffer): client is OAuthClient =>
  client?.enabled === true && timingSafeEqual(client.secretHash, secretHash)

/** A client that has shown who it is. */
export interface AuthenticatedClient {
  client: OAuthClient
  /** SHA-256 of the secret that it showed. */
  secretHash: Buffer
  /** Makes the refusal that is due should the secret turn out to be another by now. */
  refuse: () => OAuthError
}

/** The client of a request, by HTTP Basic or by client_id and client_secret in its form (interface 4.7; RFC 6749
 *  2.3.1). Throws invalid_client: 401 with a challenge where Basic was used, else 400; and invalid_request for both
 *  ways at once. */
export async function authenticateClient(
  clients: ClientCache,
  tenantId: string,
  { authorization, form }: { authorization: string | undefined; form: URLSearchParams },
): Promise<AuthenticatedClient> {
  const clientId = formValue(form, 'client_id')
  const secret = formValue(form, 'client_secret')
  const basic = readBasic(authorization)
  if (basic !== 'none' && secret !== undefined)
    throw new OAuthError('invalid_request', 'Send the secret in the form or by HTTP Basic, not both.')
  if (basic === 'unreadable') throw refuseBasic()
  if (basic !== 'none' && clientId !== undefined && clientId !== basic.clientId)
    throw new OAuthError('invalid_request', 'client_id is another than that of HTTP Basic.')
  // Made when it is needed: the stack of an error takes longer than all else here.
  const refuse = basic === 'none' ? refuseBody : refuseBasic
  const shown = basic === 'none' ? { clientId, secret } : basic
  if (shown.clientId === undefined || shown.secret === undefined) throw refuse()
  const secretHash = hashSecret(shown.secret)
  const cached = await clients.find(tenantId, shown.clientId)
  if (fits(cached, secretHash)) return { client: cached, secretHash, refuse }
  // Perhaps it was enabled, or got this secret, a moment ago.
  const client = await clients.findFresh(tenantId, shown.clientId)
  if (!fits(client, secretHash)) throw refuse()
  return { client, secretHash, refuse }
}
