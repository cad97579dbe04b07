import type { ClientChange, ClientResource } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { ApiError } from '../foundation/http/index.ts'
import type { Editor } from '../tenancy/index.ts'
import { auditClient, changedSettings } from './client-audit.ts'
import { readChangedClient } from './client-input.ts'
import { toClientResource } from './client-resource.ts'
import { isClientId } from './client-rules.ts'
import { lockClient, updateClient } from './clients.store.ts'
import { noSuchClient } from './list-clients.ts'

/** Changes what an administrator can change of a client; what is not sent stays (interface 2.5). Throws 404, 409 when
 *  the body names another client, 422 with a message per field. */
export async function changeClient(
  db: Database,
  tenantId: string,
  clientId: string,
  { data }: ClientChange,
  editor: Editor,
): Promise<ClientResource> {
  if (!isClientId(clientId)) throw noSuchClient()
  return db.transaction().execute(async trx => {
    const client = await lockClient(trx, tenantId, clientId)
    if (!client) throw noSuchClient()
    // JSON:API 1.1, 7.2.
    if (data.id !== undefined && data.id !== clientId)
      throw new ApiError(409, 'A client_id never changes: leave id out, or send that of the address.')
    const settings = readChangedClient(client, data)
    const changed = changedSettings(client, settings)
    if (Object.keys(changed).length === 0) return toClientResource(client)
    await updateClient(trx, tenantId, clientId, settings, editor.now)
    await auditClient(trx, tenantId, editor, { action: 'client.changed', clientId, details: changed })
    return toClientResource({ ...client, ...settings, updatedAt: editor.now })
  })
}
