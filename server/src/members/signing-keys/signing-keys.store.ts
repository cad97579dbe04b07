import { sql } from 'kysely'
import type { Database } from '../../foundation/database/index.ts'
import { memberTables } from '../tables.ts'
import type { StoredSigningKey } from './signing-key.ts'

/** Holds off other changes of a tenant's keys until the transaction ends. */
export async function lockSigningKeys(trx: Database, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`signing keys ${tenantId}`}, 0))`.execute(trx)
}

/** The keys of tenants, by tenant, each list from the oldest. One statement for many, as the cache asks. */
export async function findSigningKeys(
  db: Database,
  tenantIds: readonly string[],
): Promise<Map<string, StoredSigningKey[]>> {
  const rows = await memberTables(db)
    .selectFrom('signing_keys')
    .selectAll()
    .where('tenant_id', 'in', [...tenantIds])
    .orderBy('tenant_id')
    .orderBy('signs_from')
    .execute()
  const keys = new Map<string, StoredSigningKey[]>()
  for (const row of rows) {
    const ofTenant = keys.get(row.tenant_id) ?? []
    keys.set(row.tenant_id, ofTenant)
    ofTenant.push({
      kid: row.kid,
      publicJwk: row.public_jwk,
      sealedPrivateKey: row.sealed_private_key,
      createdAt: row.created_at,
      signsFrom: row.signs_from,
      signsUntil: row.signs_until,
      publishedUntil: row.published_until,
    })
  }
  return keys
}

/** The key that was made last, of whichever tenant: a start looks whether it can open it. */
export async function findNewestSigningKey(
  db: Database,
): Promise<{ tenantId: string; kid: string; sealedPrivateKey: Buffer } | undefined> {
  const row = await memberTables(db)
    .selectFrom('signing_keys')
    .select(['tenant_id', 'kid', 'sealed_private_key'])
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { tenantId: row.tenant_id, kid: row.kid, sealedPrivateKey: row.sealed_private_key }
}

/** Stores a key, and lets it take over when it begins to sign. */
export async function insertSigningKey(
  trx: Database,
  tenantId: string,
  key: Pick<StoredSigningKey, 'kid' | 'publicJwk' | 'sealedPrivateKey' | 'createdAt' | 'signsFrom'>,
): Promise<void> {
  const tables = memberTables(trx)
  await tables
    .updateTable('signing_keys')
    .set({ signs_until: key.signsFrom })
    .where('tenant_id', '=', tenantId)
    .where('signs_until', 'is', null)
    .execute()
  await tables
    .insertInto('signing_keys')
    .values({
      tenant_id: tenantId,
      kid: key.kid,
      public_jwk: JSON.stringify(key.publicJwk),
      sealed_private_key: key.sealedPrivateKey,
      created_at: key.createdAt,
      signs_from: key.signsFrom,
      signs_until: null,
      published_until: null,
    })
    .execute()
}

/** Writes down, of each key that has signed nothing since `signedBefore`, when the last token from its time expires,
 *  `atLeast` after it stopped. */
export async function updatePublishedUntil(
  trx: Database,
  tenantId: string,
  { signedBefore, atLeastS }: { signedBefore: Date; atLeastS: number },
): Promise<void> {
  await sql`
    update signing_keys k
    set published_until = greatest(
      k.signs_until + ${atLeastS} * interval '1 second',
      (select max(t.expires_at) from member_tokens t
        where t.tenant_id = k.tenant_id and t.issued_at between k.signs_from - interval '1 hour' and k.signs_until + interval '1 hour'))
    where k.tenant_id = ${tenantId} and k.published_until is null and k.signs_until < ${signedBefore}
  `.execute(trx)
}

/** Removes the keys that nobody needs any more. Gives their kids. */
export async function deleteSigningKeys(trx: Database, tenantId: string, now: Date): Promise<string[]> {
  const rows = await memberTables(trx)
    .deleteFrom('signing_keys')
    .where('tenant_id', '=', tenantId)
    .where('published_until', '<', now)
    .returning('kid')
    .execute()
  return rows.map(({ kid }) => kid)
}
