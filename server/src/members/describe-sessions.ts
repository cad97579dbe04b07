import type { MemberSessionItem } from '@usher/contract'
import { toIso } from '../foundation/time.ts'
import { describeDevice } from './describe-device.ts'
import type { MemberSession } from './member.ts'

/** Names the application of an integration session. */
export type FindClient = (
  tenantId: string,
  clientId: string,
) => Promise<{ name: string; enabled: boolean } | undefined>

/** Sessions as the API has them. `currentId` is the session of whoever asks. */
export async function describeSessions(
  sessions: readonly MemberSession[],
  { tenantId, findClient, currentId }: { tenantId: string; findClient: FindClient; currentId?: string },
): Promise<MemberSessionItem[]> {
  return Promise.all(
    sessions.map(async session => ({
      id: session.id,
      kind: session.kind,
      client:
        session.clientId === null
          ? null
          : {
              client_id: session.clientId,
              name: (await findClient(tenantId, session.clientId))?.name ?? null,
            },
      device: describeDevice(session.userAgent),
      address: session.address,
      created_at: toIso(session.createdAt),
      last_seen_at: toIso(session.lastSeenAt),
      last_seen_address: session.lastSeenAddress,
      expires_at: toIso(session.expiresAt),
      current: session.id === currentId,
    })),
  )
}
