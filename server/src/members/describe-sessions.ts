import type { MemberSessionItem, MemberSessionResource } from '@usher/contract'
import { toIso } from '../foundation/time.ts'
import { describeDevice } from './describe-device.ts'
import type { MemberSession } from './member.ts'

/** Names the application of an integration session. */
export type FindClient = (
  tenantId: string,
  clientId: string,
) => Promise<{ name: string; enabled: boolean } | undefined>

/** What everybody who may see a session sees of it. */
async function describeSession(
  session: MemberSession,
  tenantId: string,
  findClient: FindClient,
): Promise<Omit<MemberSessionResource['attributes'], 'member_id'>> {
  const { clientId } = session
  return {
    kind: session.kind,
    client:
      clientId === null
        ? null
        : { client_id: clientId, name: (await findClient(tenantId, clientId))?.name ?? null },
    device: describeDevice(session.userAgent),
    address: session.address,
    created_at: toIso(session.createdAt),
    last_seen_at: toIso(session.lastSeenAt),
    last_seen_address: session.lastSeenAddress,
    expires_at: toIso(session.expiresAt),
  }
}

/** Sessions as the member's API has them. `currentId` is the session of whoever asks. */
export function listForMember(
  sessions: readonly MemberSession[],
  { tenantId, findClient, currentId }: { tenantId: string; findClient: FindClient; currentId: string },
): Promise<MemberSessionItem[]> {
  return Promise.all(
    sessions.map(async session => ({
      id: session.id,
      ...(await describeSession(session, tenantId, findClient)),
      current: session.id === currentId,
    })),
  )
}

/** Sessions of a member as the administration API has them. */
export function listForStaff(
  sessions: readonly MemberSession[],
  { tenantId, findClient, memberId }: { tenantId: string; findClient: FindClient; memberId: string },
): Promise<MemberSessionResource[]> {
  return Promise.all(
    sessions.map(async session => ({
      id: session.id,
      type: 'member-sessions' as const,
      attributes: { member_id: memberId, ...(await describeSession(session, tenantId, findClient)) },
    })),
  )
}
