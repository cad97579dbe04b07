import type { Database } from '../foundation/database/index.ts'
import { maxNameLength, shortenName, tidyName } from './member-name.ts'
import { updateFirstName, updateName } from './members.store.ts'

/** Names a member as somebody else has told it, such as a provider: never in the place of a name that the member has, or
 *  has taken away. */
export async function suggestName(
  trx: Database,
  tenantId: string,
  { memberId, name: told }: { memberId: string; name: string | null },
): Promise<void> {
  const name = shortenName(told ?? '')
  if (name !== null) await updateFirstName(trx, tenantId, { memberId, name })
}

/** Gives a member the name that they chose; an empty one takes it away. False when it is too long. */
export async function renameMember(
  db: Database,
  tenantId: string,
  { memberId, name: chosen }: { memberId: string; name: string },
): Promise<boolean> {
  const name = tidyName(chosen)
  if (name !== null && name.length > maxNameLength) return false
  await updateName(db, tenantId, { memberId, name })
  return true
}
