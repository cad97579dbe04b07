import type { Database } from '../foundation/database/index.ts'
import type { Member, MemberProfile } from './member.ts'
import { memberTables } from './tables.ts'

const columns = ['id', 'email', 'name', 'created_at'] as const

const toMember = (row: { id: string; email: string; name: string | null; created_at: Date }): Member => ({
  id: row.id,
  email: row.email,
  name: row.name,
  createdAt: row.created_at,
})

export async function findMemberById(
  db: Database,
  tenantId: string,
  memberId: string,
): Promise<MemberProfile | undefined> {
  const row = await memberTables(db)
    .selectFrom('members')
    .select([...columns, 'updated_at'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', memberId)
    .executeTakeFirst()
  return row && { ...toMember(row), updatedAt: row.updated_at ?? row.created_at }
}

/** `email` is in lower case. */
export async function findMemberByEmail(
  db: Database,
  tenantId: string,
  email: string,
): Promise<Member | undefined> {
  const row = await memberTables(db)
    .selectFrom('members')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .where('email', '=', email)
    .executeTakeFirst()
  return row && toMember(row)
}

/** Makes a member; undefined when another transaction has made one of this address. */
export async function insertMember(
  db: Database,
  tenantId: string,
  member: Member,
): Promise<Member | undefined> {
  const row = await memberTables(db)
    .insertInto('members')
    .values({
      tenant_id: tenantId,
      id: member.id,
      email: member.email,
      name: member.name,
      created_at: member.createdAt,
    })
    .onConflict(conflict => conflict.columns(['tenant_id', 'email']).doNothing())
    .returning(columns)
    .executeTakeFirst()
  return row && toMember(row)
}

/** Gives a member another name, or with null none. */
export async function updateName(
  db: Database,
  tenantId: string,
  { memberId, name }: { memberId: string; name: string | null },
): Promise<void> {
  await memberTables(db)
    .updateTable('members')
    .set({ name })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', memberId)
    .execute()
}

/** Names a member who never had a name. One statement, so it takes the place of none that is given at this moment. Of a
 *  member who has taken the name away, `updated_at` is left. */
export async function updateFirstName(
  db: Database,
  tenantId: string,
  { memberId, name }: { memberId: string; name: string },
): Promise<void> {
  await memberTables(db)
    .updateTable('members')
    .set({ name })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', memberId)
    .where('name', 'is', null)
    .where('updated_at', 'is', null)
    .execute()
}
