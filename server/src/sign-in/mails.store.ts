import { sql } from 'kysely'
import type { Database } from '../foundation/database/index.ts'
import { signInTables } from './tables.ts'

/** One mail, with its link and its code. */
export interface SignInMail {
  id: string
  flowId: string
  /** Lower case. */
  email: string
  sealedCode: Buffer
  wrongCodes: number
  createdAt: Date
  expiresAt: Date
  /** When its link was opened in another browser than the flow's. */
  shownAt: Date | null
  usedAt: Date | null
}

const selectMails = (db: Database, tenantId: string) =>
  signInTables(db)
    .selectFrom('sign_in_mails')
    .select([
      'id',
      'flow_id as flowId',
      'email',
      'sealed_code as sealedCode',
      'wrong_codes as wrongCodes',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'shown_at as shownAt',
      'used_at as usedAt',
    ])
    .where('tenant_id', '=', tenantId)

/** Has mails and codes of an address wait for each other until the transaction ends, so that what counts them misses
 *  none. */
export async function lockAddress(trx: Database, tenantId: string, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sign-in ${tenantId} ${email}`}, 0))`.execute(trx)
}

export async function insertMail(
  trx: Database,
  tenantId: string,
  mail: Pick<SignInMail, 'id' | 'flowId' | 'email' | 'sealedCode' | 'createdAt' | 'expiresAt'>,
): Promise<void> {
  await signInTables(trx)
    .insertInto('sign_in_mails')
    .values({
      tenant_id: tenantId,
      id: mail.id,
      flow_id: mail.flowId,
      email: mail.email,
      sealed_code: mail.sealedCode,
      wrong_codes: 0,
      created_at: mail.createdAt,
      expires_at: mail.expiresAt,
    })
    .execute()
}

export async function findMail(db: Database, tenantId: string, id: string): Promise<SignInMail | undefined> {
  return selectMails(db, tenantId).where('id', '=', id).executeTakeFirst()
}

/** The mail that was asked for last in a flow. */
export async function findNewestMail(
  db: Database,
  tenantId: string,
  flowId: string,
): Promise<SignInMail | undefined> {
  return selectMails(db, tenantId)
    .where('flow_id', '=', flowId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Mails to an address since then. */
export async function countMails(
  db: Database,
  tenantId: string,
  { email, since }: { email: string; since: Date },
): Promise<number> {
  const { count } = await signInTables(db)
    .selectFrom('sign_in_mails')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('email', '=', email)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return count
}

/** Wrong codes that were typed for the mails to an address since then. */
export async function countWrongCodes(
  db: Database,
  tenantId: string,
  { email, since }: { email: string; since: Date },
): Promise<number> {
  const { count } = await signInTables(db)
    .selectFrom('sign_in_mails')
    .select(eb => eb.fn.coalesce(eb.fn.sum<number>('wrong_codes'), sql<number>`0`).as('count'))
    .where('tenant_id', '=', tenantId)
    .where('email', '=', email)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return count
}

export async function addWrongCode(db: Database, tenantId: string, id: string): Promise<void> {
  await signInTables(db)
    .updateTable('sign_in_mails')
    .set(eb => ({ wrong_codes: eb('wrong_codes', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Notes that a mail's code is shown in another browser, and gives it tries of its own, once. */
export async function markShown(db: Database, tenantId: string, id: string, now: Date): Promise<void> {
  await signInTables(db)
    .updateTable('sign_in_mails')
    .set({ shown_at: now, wrong_codes: 0 })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('shown_at', 'is', null)
    .execute()
}

/** Uses a mail up; false if it was used before or has expired. One statement, so of two uses at once one wins. */
export async function consumeMail(db: Database, tenantId: string, id: string, now: Date): Promise<boolean> {
  const result = await signInTables(db)
    .updateTable('sign_in_mails')
    .set({ used_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}
