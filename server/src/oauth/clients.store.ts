import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import type { ClientSettings, OAuthClient } from './client.ts'
import { oauthTables } from './tables.ts'

const selectClients = (db: Database, tenantId: string) =>
  oauthTables(db).selectFrom('oauth_clients').selectAll().where('tenant_id', '=', tenantId)

type ClientRow = Awaited<ReturnType<ReturnType<typeof selectClients>['executeTakeFirstOrThrow']>>

const toClient = (row: ClientRow): OAuthClient => ({
  clientId: row.client_id,
  name: row.name,
  secretHash: row.secret_hash,
  redirectUris: row.redirect_uris,
  allowedOrigins: row.allowed_origins,
  postLogoutRedirectUris: row.post_logout_redirect_uris,
  backchannelLogoutUri: row.backchannel_logout_uri,
  pkceRequired: row.pkce_required,
  enabled: row.enabled,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  secretChangedAt: row.secret_changed_at,
})

/** A tenant's clients, the oldest first. */
export async function listClients(db: Database, tenantId: string): Promise<OAuthClient[]> {
  const rows = await selectClients(db, tenantId).orderBy('created_at').orderBy('client_id').execute()
  return rows.map(toClient)
}

export async function findClient(
  db: Database,
  tenantId: string,
  clientId: string,
): Promise<OAuthClient | undefined> {
  const row = await selectClients(db, tenantId).where('client_id', '=', clientId).executeTakeFirst()
  return row && toClient(row)
}

/** The same, held against other changes until the transaction ends. */
export async function lockClient(
  trx: Database,
  tenantId: string,
  clientId: string,
): Promise<OAuthClient | undefined> {
  const row = await selectClients(trx, tenantId)
    .where('client_id', '=', clientId)
    .forUpdate()
    .executeTakeFirst()
  return row && toClient(row)
}

/** Clients of several tenants at once, each asked for by its tenant's id and its own. */
export async function findClients(
  db: Database,
  asked: readonly { tenantId: string; clientId: string }[],
): Promise<{ tenantId: string; client: OAuthClient }[]> {
  const tenantIds = asked.map(({ tenantId }) => tenantId)
  const clientIds = asked.map(({ clientId }) => clientId)
  const { rows } = await sql<ClientRow>`
    select c.* from unnest(${tenantIds}::uuid[], ${clientIds}::text[]) as asked (tenant_id, client_id)
    join oauth_clients c on c.tenant_id = asked.tenant_id and c.client_id = asked.client_id`.execute(db)
  return rows.map(row => ({ tenantId: row.tenant_id, client: toClient(row) }))
}

/** Stores a new client. False when the tenant has one of this id already. */
export async function insertClient(
  db: Database,
  tenantId: string,
  client: ClientSettings & { clientId: string; secretHash: Buffer; createdAt: Date },
): Promise<boolean> {
  const result = await oauthTables(db)
    .insertInto('oauth_clients')
    .values({
      tenant_id: tenantId,
      client_id: client.clientId,
      secret_hash: client.secretHash,
      ...toColumns(client),
      created_at: client.createdAt,
      updated_at: client.createdAt,
      secret_changed_at: client.createdAt,
    })
    .onConflict(conflict => conflict.columns(['tenant_id', 'client_id']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function updateClient(
  db: Database,
  tenantId: string,
  clientId: string,
  settings: ClientSettings,
  updatedAt: Date,
): Promise<void> {
  await oauthTables(db)
    .updateTable('oauth_clients')
    .set({ ...toColumns(settings), updated_at: updatedAt })
    .where('tenant_id', '=', tenantId)
    .where('client_id', '=', clientId)
    .execute()
}

/** Gives a client another secret; from the commit on the one before is wrong. */
export async function updateSecret(
  db: Database,
  tenantId: string,
  clientId: string,
  secretHash: Buffer,
  changedAt: Date,
): Promise<void> {
  await oauthTables(db)
    .updateTable('oauth_clients')
    .set({ secret_hash: secretHash, secret_changed_at: changedAt, updated_at: changedAt })
    .where('tenant_id', '=', tenantId)
    .where('client_id', '=', clientId)
    .execute()
}

const toColumns = (settings: ClientSettings) => ({
  name: settings.name,
  redirect_uris: [...settings.redirectUris],
  allowed_origins: [...settings.allowedOrigins],
  post_logout_redirect_uris: [...settings.postLogoutRedirectUris],
  backchannel_logout_uri: settings.backchannelLogoutUri,
  pkce_required: settings.pkceRequired,
  enabled: settings.enabled,
})
