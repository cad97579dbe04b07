import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { type Ability, abilities, type Credential } from './credential.ts'
import { tenancyTables } from './tables.ts'

/** A key as it is kept: of its token there is only the SHA-256. */
export interface StoredKey {
  id: string
  userId: string
  name: string
  tokenHash: Buffer
  abilities: readonly string[]
  expiresAt: Date | null
  revokedAt: Date | null
  createdAt: Date
}

/** A key that is neither unknown nor revoked. Whether it has expired depends on when it is used. */
export interface KnownKey {
  credential: Credential
  expiresAt: Date | null
  /** The slug of an organization key's tenant. */
  tenantSlug: string | null
  /** Whether its user is a super admin. */
  isOperator: boolean
  /** The tenants whose staff its user belongs to. */
  staffOf: ReadonlySet<string>
  /** Those of them that it is an administrator of. */
  administratorOf: ReadonlySet<string>
}

interface KnownKeyRow {
  tenant_id: string | null
  slug: string | null
  id: string
  name: string
  user_id: string
  abilities: string[]
  expires_at: Date | null
  operator: boolean
  staff_of: string[]
  administrator_of: string[]
  token_hash: Buffer
}

const isAbility = (name: string): name is Ability => (abilities as readonly string[]).includes(name)

function toKnownKey(row: KnownKeyRow): KnownKey {
  const key = {
    keyId: row.id,
    name: row.name,
    userId: row.user_id,
    abilities: new Set(row.abilities.filter(isAbility)),
  }
  return {
    credential:
      row.tenant_id === null
        ? { kind: 'platform', ...key }
        : { kind: 'organization', tenantId: row.tenant_id, ...key },
    expiresAt: row.expires_at,
    tenantSlug: row.slug,
    isOperator: row.operator,
    staffOf: new Set(row.staff_of),
    administratorOf: new Set(row.administrator_of),
  }
}

/** The keys whose tokens have these hashes (SHA-256, base64url), by hash; revoked ones are left out.
 *  An index look-up of a hash takes a time that tells nothing of the token. */
export async function findKeysByHash(
  db: Database,
  hashes: readonly string[],
): Promise<Map<string, KnownKey>> {
  const asked = hashes.map(hash => Buffer.from(hash, 'base64url'))
  const { rows } = await sql<KnownKeyRow>`
    select k.tenant_id, t.slug, k.id, k.name, k.user_id, k.abilities, k.expires_at, k.token_hash,
      u.operator, array(select s.tenant_id from tenant_staff s where s.user_id = k.user_id) as staff_of,
      array(select s.tenant_id from tenant_staff s
        where s.user_id = k.user_id and s.role = 'administrator') as administrator_of
    from api_keys k
    join tenants t on t.id = k.tenant_id
    join staff_users u on u.id = k.user_id
    where k.token_hash = any(${asked}::bytea[]) and k.revoked_at is null
    union all
    select null, null, k.id, k.name, k.user_id, k.abilities, k.expires_at, k.token_hash, u.operator, '{}', '{}'
    from platform_keys k
    join staff_users u on u.id = k.user_id
    where k.token_hash = any(${asked}::bytea[]) and k.revoked_at is null
  `.execute(db)
  return new Map(rows.map(row => [row.token_hash.toString('base64url'), toKnownKey(row)]))
}

const columns = [
  'id',
  'user_id',
  'name',
  'token_hash',
  'abilities',
  'expires_at',
  'revoked_at',
  'created_at',
] as const

/** The keys of a tenant, or with `null` of the platform, oldest first, revoked ones among them. */
export async function listKeys(db: Database, tenantId: string | null): Promise<StoredKey[]> {
  const tables = tenancyTables(db)
  const rows =
    tenantId === null
      ? await tables.selectFrom('platform_keys').select(columns).orderBy('id').execute()
      : await tables
          .selectFrom('api_keys')
          .select(columns)
          .where('tenant_id', '=', tenantId)
          .orderBy('id')
          .execute()
  return rows.map(row => ({
    id: row.id,
    userId: row.user_id,
    name: row.name,
    tokenHash: row.token_hash,
    abilities: row.abilities,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
  }))
}

/** Whose a token is by its hash, also when the key was revoked. `slug` null is the platform. */
export async function findTokenOwner(
  db: Database,
  tokenHash: Buffer,
): Promise<{ slug: string | null; name: string; revoked: boolean } | undefined> {
  const { rows } = await sql<{ slug: string | null; name: string; revoked: boolean }>`
    select t.slug, k.name, k.revoked_at is not null as revoked
    from api_keys k join tenants t on t.id = k.tenant_id where k.token_hash = ${tokenHash}
    union all
    select null, k.name, k.revoked_at is not null from platform_keys k where k.token_hash = ${tokenHash}
  `.execute(db)
  return rows[0]
}

/** Stores a key of a tenant, or with `null` of the platform. */
export async function insertKey(
  db: Database,
  tenantId: string | null,
  key: Omit<StoredKey, 'revokedAt'>,
): Promise<void> {
  const row = {
    id: key.id,
    user_id: key.userId,
    name: key.name,
    token_hash: key.tokenHash,
    abilities: [...key.abilities],
    expires_at: key.expiresAt,
    revoked_at: null,
    created_at: key.createdAt,
  }
  const tables = tenancyTables(db)
  if (tenantId === null) await tables.insertInto('platform_keys').values(row).execute()
  else
    await tables
      .insertInto('api_keys')
      .values({ tenant_id: tenantId, ...row })
      .execute()
}

async function updateColumns(
  db: Database,
  tenantId: string | null,
  keyId: string,
  set: Partial<{ user_id: string; abilities: string[]; expires_at: Date | null; revoked_at: Date }>,
): Promise<void> {
  const tables = tenancyTables(db)
  await (tenantId === null
    ? tables.updateTable('platform_keys').set(set).where('id', '=', keyId).execute()
    : tables
        .updateTable('api_keys')
        .set(set)
        .where('tenant_id', '=', tenantId)
        .where('id', '=', keyId)
        .execute())
}

/** Changes what belongs to a key beside its token. */
export function updateKey(
  db: Database,
  tenantId: string | null,
  keyId: string,
  change: { userId: string; abilities: readonly string[]; expiresAt: Date | null },
): Promise<void> {
  return updateColumns(db, tenantId, keyId, {
    user_id: change.userId,
    abilities: [...change.abilities],
    expires_at: change.expiresAt,
  })
}

/** Revokes a key for good. */
export function updateRevoked(
  db: Database,
  tenantId: string | null,
  keyId: string,
  revokedAt: Date,
): Promise<void> {
  return updateColumns(db, tenantId, keyId, { revoked_at: revokedAt })
}
