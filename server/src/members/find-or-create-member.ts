import type { Database } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import type { Tenant } from '../tenancy/index.ts'
import type { Member } from './member.ts'
import { findMemberByEmail, insertMember } from './members.store.ts'

/** The member of a mail address, made if there is none; undefined if there is none and the tenant's sign-up is closed
 *  (decisions, "Signing in"). Of two who sign up at once with one address, both are the same member. */
export async function findOrCreateMember(
  trx: Database,
  tenant: Pick<Tenant, 'id' | 'signIn'>,
  address: string,
  now: Date,
): Promise<Member | undefined> {
  const email = address.toLowerCase()
  const known = await findMemberByEmail(trx, tenant.id, email)
  if (known || tenant.signIn.signUp === 'closed') return known
  const made = await insertMember(trx, tenant.id, { id: uuidv7(), email, name: null, createdAt: now })
  return made ?? findMemberByEmail(trx, tenant.id, email)
}
