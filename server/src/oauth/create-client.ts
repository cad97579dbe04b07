import type { ClientChange, ClientResource } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { ApiError } from '../foundation/http/index.ts'
import type { Editor } from '../tenancy/index.ts'
import { auditClient, writeSettings } from './client-audit.ts'
import { readNewClient } from './client-input.ts'
import { toClientResource } from './client-resource.ts'
import { hashSecret, makeClientId, makeSecret } from './client-secret.ts'
import { insertClient } from './clients.store.ts'

/** Registers a client, and answers it with its secret, which is shown only now (interface 2.5). Throws 422 with a message
 *  per field, 409 when the client_id is taken. */
export async function createClient(
  db: Database,
  tenantId: string,
  { data }: ClientChange,
  editor: Editor,
): Promise<ClientResource> {
  const settings = readNewClient(data)
  const clientId = data.id ?? makeClientId()
  const secret = makeSecret()
  const { now } = editor
  const client = { clientId, ...settings, secretHash: hashSecret(secret), createdAt: now }
  return db.transaction().execute(async trx => {
    if (!(await insertClient(trx, tenantId, client))) {
      const message = `The tenant has a client with the client_id ${clientId} already.`
      throw new ApiError(409, message, { errors: { id: [message] } })
    }
    await auditClient(trx, tenantId, editor, {
      action: 'client.created',
      clientId,
      details: writeSettings(settings),
    })
    return toClientResource({ ...client, updatedAt: now, secretChangedAt: now }, secret)
  })
}
