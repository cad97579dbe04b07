import type { Database } from '../foundation/database/index.ts'
import { tenancyTables } from './tables.ts'

/** A person who runs the platform (operator, a super admin) or a tenant. */
export interface StaffUser {
  id: string
  /** Lower case. */
  email: string
  operator: boolean
}

export type StaffRole = 'administrator' | 'viewer'

export interface TenantStaff extends StaffUser {
  role: StaffRole
}

export async function findStaffUser(db: Database, email: string): Promise<StaffUser | undefined> {
  return tenancyTables(db)
    .selectFrom('staff_users')
    .select(['id', 'email', 'operator'])
    .where('email', '=', email)
    .executeTakeFirst()
}

/** Every operator, the first one made first. */
export async function listOperators(db: Database): Promise<StaffUser[]> {
  return tenancyTables(db)
    .selectFrom('staff_users')
    .select(['id', 'email', 'operator'])
    .where('operator', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function insertStaffUser(db: Database, user: StaffUser, createdAt: Date): Promise<void> {
  await tenancyTables(db)
    .insertInto('staff_users')
    .values({ ...user, created_at: createdAt })
    .execute()
}

export async function makeOperator(db: Database, userId: string): Promise<void> {
  await tenancyTables(db)
    .updateTable('staff_users')
    .set({ operator: true })
    .where('id', '=', userId)
    .execute()
}

/** A tenant's staff, the first one made first. */
export async function listTenantStaff(db: Database, tenantId: string): Promise<TenantStaff[]> {
  return tenancyTables(db)
    .selectFrom('tenant_staff')
    .innerJoin('staff_users', 'staff_users.id', 'tenant_staff.user_id')
    .select(['staff_users.id', 'staff_users.email', 'staff_users.operator', 'tenant_staff.role'])
    .where('tenant_id', '=', tenantId)
    .orderBy('tenant_staff.created_at')
    .orderBy('staff_users.id')
    .execute()
}

export async function insertTenantStaff(
  db: Database,
  tenantId: string,
  staff: { userId: string; role: StaffRole; createdAt: Date },
): Promise<void> {
  await tenancyTables(db)
    .insertInto('tenant_staff')
    .values({ tenant_id: tenantId, user_id: staff.userId, role: staff.role, created_at: staff.createdAt })
    .execute()
}

export async function updateStaffRole(
  db: Database,
  tenantId: string,
  userId: string,
  role: StaffRole,
): Promise<void> {
  await tenancyTables(db)
    .updateTable('tenant_staff')
    .set({ role })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute()
}
