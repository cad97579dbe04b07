import type { Database } from '../../foundation/database/index.ts'
import type { ProviderSettings, SocialProvider } from './provider.ts'
import { socialTables } from './tables.ts'

const selectProviders = (db: Database) => socialTables(db).selectFrom('social_providers').selectAll()

type ProviderRow = Awaited<ReturnType<ReturnType<typeof selectProviders>['executeTakeFirstOrThrow']>>

const toProvider = (row: ProviderRow): SocialProvider => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  issuer: row.issuer,
  clientId: row.client_id,
  teamId: row.team_id,
  keyId: row.key_id,
  enabled: row.enabled,
  sealedSecret: row.sealed_secret,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  secretChangedAt: row.secret_changed_at,
})

/** A tenant's providers, the oldest first. */
export async function listProviders(db: Database, tenantId: string): Promise<SocialProvider[]> {
  const rows = await selectProviders(db)
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toProvider)
}

/** The providers of several tenants, by tenant, the oldest first. */
export async function listProvidersOf(
  db: Database,
  tenantIds: readonly string[],
): Promise<Map<string, SocialProvider[]>> {
  const rows = await selectProviders(db)
    .where('tenant_id', 'in', tenantIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return new Map(
    [...Map.groupBy(rows, row => row.tenant_id)].map(([tenantId, own]) => [tenantId, own.map(toProvider)]),
  )
}

export async function findProvider(
  db: Database,
  tenantId: string,
  id: string,
): Promise<SocialProvider | undefined> {
  const row = await selectProviders(db)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toProvider(row)
}

/** The tenant's providers, held against other changes until the transaction ends. */
export async function lockProviders(trx: Database, tenantId: string): Promise<SocialProvider[]> {
  const rows = await selectProviders(trx)
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(toProvider)
}

const toColumns = (settings: ProviderSettings) => ({
  name: settings.name,
  issuer: settings.issuer,
  client_id: settings.clientId,
  team_id: settings.teamId,
  key_id: settings.keyId,
  enabled: settings.enabled,
})

/** Stores a new provider. False when the tenant has one of this id already. */
export async function insertProvider(
  db: Database,
  tenantId: string,
  provider: SocialProvider,
): Promise<boolean> {
  const result = await socialTables(db)
    .insertInto('social_providers')
    .values({
      tenant_id: tenantId,
      id: provider.id,
      kind: provider.kind,
      ...toColumns(provider),
      sealed_secret: provider.sealedSecret,
      created_at: provider.createdAt,
      updated_at: provider.updatedAt,
      secret_changed_at: provider.secretChangedAt,
    })
    .onConflict(conflict => conflict.columns(['tenant_id', 'id']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Stores all of a provider that can change. */
export async function updateProvider(
  db: Database,
  tenantId: string,
  provider: SocialProvider,
): Promise<void> {
  await socialTables(db)
    .updateTable('social_providers')
    .set({
      ...toColumns(provider),
      sealed_secret: provider.sealedSecret,
      updated_at: provider.updatedAt,
      secret_changed_at: provider.secretChangedAt,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', provider.id)
    .execute()
}

/** Takes a provider away; the accounts that came by it stay, for the day that it is back. */
export async function deleteProvider(db: Database, tenantId: string, id: string): Promise<void> {
  await socialTables(db)
    .deleteFrom('social_providers')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}
