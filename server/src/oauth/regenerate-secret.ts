import type { ClientResource } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import type { Editor } from '../tenancy/index.ts'
import { auditClient } from './client-audit.ts'
import { toClientResource } from './client-resource.ts'
import { isClientId } from './client-rules.ts'
import { hashSecret, makeSecret } from './client-secret.ts'
import { lockClient, updateSecret } from './clients.store.ts'
import { noSuchClient } from './list-clients.ts'

/** Gives a client a new secret, which is shown only now; the one before is wrong at once (interface 2.5). Throws 404. */
export async function regenerateSecret(
  db: Database,
  tenantId: string,
  clientId: string,
  editor: Editor,
): Promise<ClientResource> {
  if (!isClientId(clientId)) throw noSuchClient()
  const secret = makeSecret()
  return db.transaction().execute(async trx => {
    const client = await lockClient(trx, tenantId, clientId)
    if (!client) throw noSuchClient()
    await updateSecret(trx, tenantId, clientId, hashSecret(secret), editor.now)
    await auditClient(trx, tenantId, editor, { action: 'client.secret_regenerated', clientId })
    return toClientResource({ ...client, updatedAt: editor.now, secretChangedAt: editor.now }, secret)
  })
}
