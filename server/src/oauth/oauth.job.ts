import type { Database } from '../foundation/database/index.ts'
import type { JobDefinition } from '../jobs/index.ts'
import { type LogoutParts, SEND_LOGOUT_TOKEN_JOB, sendLogoutToken } from './logout/send-logout-token.ts'
import { pruneCodes } from './prune-codes.ts'

/** Tells clients of sessions that ended, and keeps the table of codes small. */
export function oauthJobs(parts: LogoutParts & { db: Database }): JobDefinition[] {
  return [
    {
      name: SEND_LOGOUT_TOKEN_JOB,
      queue: 'high',
      // After 5, 15, 35, 75, 155, 315, 635, 1,275 seconds.
      retryLimit: 8,
      retryDelayS: 5,
      expireInS: 30,
      run: async ({
        tenant_id: tenantId,
        client_id: clientId,
        member_id: memberId,
        session_id: sessionId,
      }) => {
        await sendLogoutToken(parts, {
          tenantId: String(tenantId),
          clientId: String(clientId),
          memberId: String(memberId),
          sessionId: String(sessionId),
        })
      },
    },
    {
      name: 'prune-authorization-codes',
      queue: 'bulk',
      schedule: { everyS: 3_600, offsetS: 900 },
      run: (_payload, { signal }) => pruneCodes(parts.db, new Date(), signal),
    },
  ]
}
