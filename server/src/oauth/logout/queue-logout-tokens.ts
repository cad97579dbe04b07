import type { DatabaseTransaction } from '../../foundation/database/index.ts'
import type { EndedSession } from '../../members/index.ts'
import { findClient } from '../clients.store.ts'
import { SEND_LOGOUT_TOKEN_JOB } from './send-logout-token.ts'

/** Sends a job, in the transaction that ends a session, for each client that is to be told of the end. */
export async function queueLogoutTokens(
  trx: DatabaseTransaction,
  tenantId: string,
  { memberId, parties }: EndedSession,
  sendJob: (trx: DatabaseTransaction, name: string, payload: Record<string, string>) => Promise<unknown>,
): Promise<void> {
  for (const { clientId, browserSessionId } of parties) {
    const client = await findClient(trx, tenantId, clientId)
    if (!client?.enabled || client.backchannelLogoutUri === null) continue
    await sendJob(trx, SEND_LOGOUT_TOKEN_JOB, {
      tenant_id: tenantId,
      client_id: clientId,
      member_id: memberId,
      session_id: browserSessionId,
    })
  }
}
