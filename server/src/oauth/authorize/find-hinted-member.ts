import type { Members } from '../../members/index.ts'
import type { Tenant } from '../../tenancy/index.ts'
import { type Fault, invalidRequest, sentValue } from './asked.ts'

/** The member that id_token_hint names, expired or not; null when none was sent. A hint that this client was not given is a
 *  fault (OpenID Connect Core 3.1.2.1). */
export async function findHintedMember(
  { members }: { members: Pick<Members, 'readIdToken'> },
  tenant: Tenant,
  { clientId, query }: { clientId: string; query: URLSearchParams },
): Promise<{ memberHint: string | null } | Fault> {
  const hint = sentValue(query, 'id_token_hint')
  if (hint === undefined) return { memberHint: null }
  const read = await members.readIdToken(tenant, hint)
  return read?.clientId === clientId
    ? { memberHint: read.memberId }
    : invalidRequest('id_token_hint must be an id_token that this client was given here.')
}
