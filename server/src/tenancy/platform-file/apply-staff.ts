import { uuidv7 } from '../../foundation/uuid.ts'
import {
  findStaffUser,
  insertStaffUser,
  insertTenantStaff,
  listTenantStaff,
  makeOperator,
  type StaffUser,
  updateStaffRole,
} from '../staff.store.ts'
import { type Application, recordChange, type TenantName } from './changes.ts'
import type { PlatformFile } from './schema.ts'
import type { TenantDeclaration } from './tenant-declaration.ts'

async function findOrMakeUser({ trx, now }: Application, email: string): Promise<StaffUser> {
  const known = await findStaffUser(trx, email)
  if (known) return known
  const user = { id: uuidv7(), email, operator: false }
  await insertStaffUser(trx, user, now)
  return user
}

/** Makes the declared people operators. */
export async function applyOperators(application: Application, file: PlatformFile): Promise<void> {
  for (const declared of file.operators ?? []) {
    const user = await findOrMakeUser(application, declared.toLowerCase())
    if (user.operator) continue
    await makeOperator(application.trx, user.id)
    await recordChange(application, null, {
      action: 'operator.added',
      target: user.email,
      text: `operator ${user.email} added`,
    })
  }
}

/** Gives the declared people their roles at a tenant. */
export async function applyStaff(
  application: Application,
  tenant: TenantName,
  declared: TenantDeclaration,
): Promise<void> {
  const staff = new Map((await listTenantStaff(application.trx, tenant.id)).map(user => [user.email, user]))
  for (const { email: written, role } of declared.staff ?? []) {
    const email = written.toLowerCase()
    const known = staff.get(email)
    if (known?.role === role) continue
    if (known) {
      await updateStaffRole(application.trx, tenant.id, known.id, role)
      await recordChange(application, tenant, {
        action: 'staff.role_changed',
        target: email,
        details: { from: known.role, to: role },
        text: `${email} is now ${role}`,
      })
    } else {
      const user = await findOrMakeUser(application, email)
      await insertTenantStaff(application.trx, tenant.id, {
        userId: user.id,
        role,
        createdAt: application.now,
      })
      await recordChange(application, tenant, {
        action: 'staff.added',
        target: email,
        details: { role },
        text: `${role} ${email} added`,
      })
    }
  }
}
