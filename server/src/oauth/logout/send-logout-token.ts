import { randomUUID } from 'node:crypto'
import type { Database } from '../../foundation/database/index.ts'
import type { Outgoing } from '../../foundation/outgoing/index.ts'
import type { Members } from '../../members/index.ts'
import { findTenantById } from '../../tenancy/index.ts'
import { findClient } from '../clients.store.ts'

export const SEND_LOGOUT_TOKEN_JOB = 'send-logout-token'

/** How long a logout token may be on its way: the two minutes of OpenID Connect Back-Channel Logout 2.4. */
const lifetimeS = 120
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export interface LogoutParts {
  db: Database
  members: Pick<Members, 'signLogoutToken'>
  /** Refuses addresses that are nobody's business, and follows no redirect. */
  outgoing: Outgoing
  nowMs(): number
}

/** Tells a client that a session has ended (OpenID Connect Back-Channel Logout 2.4 and 2.5). One that is disabled by now, or
 *  wants to know no more, is told nothing. Throws when it does not answer that it has done its part, so that it is told
 *  again. */
export async function sendLogoutToken(
  { db, members, outgoing, nowMs }: LogoutParts,
  ended: { tenantId: string; clientId: string; memberId: string; sessionId: string },
): Promise<void> {
  const tenant = await findTenantById(db, ended.tenantId)
  const client = await findClient(db, ended.tenantId, ended.clientId)
  const address = client?.enabled ? client.backchannelLogoutUri : null
  if (!tenant || address === null) return
  const now = Math.floor(nowMs() / 1_000)
  const token = await members.signLogoutToken(tenant, {
    sub: ended.memberId,
    aud: ended.clientId,
    iat: now,
    exp: now + lifetimeS,
    // Anew for each time that it is sent: a client may refuse one that it has seen.
    jti: randomUUID(),
    events: { [EVENT]: {} },
    sid: ended.sessionId,
  })
  const answer = await outgoing.fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ logout_token: token }),
  })
  if (!answer.ok)
    throw new Error(
      `The client ${ended.clientId} answered ${answer.status} to a logout token. See its backchannel_logout_uri.`,
    )
}
