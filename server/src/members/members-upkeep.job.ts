import type { Database } from '../foundation/database/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import type { JobDefinition } from '../jobs/index.ts'
import { pruneSessions } from './prune-sessions.ts'
import { rotateSigningKeys } from './signing-keys/rotate-signing-keys.ts'

export interface MemberJobsOptions {
  db: Database
  secrets: Secrets
  listTenantIds(): Promise<string[]>
}

/** The upkeep of signing keys, sessions and tokens. */
export function memberJobs({ db, secrets, listTenantIds }: MemberJobsOptions): JobDefinition[] {
  const actor = { kind: 'system', name: 'rotate-signing-keys' } as const
  return [
    {
      name: 'rotate-signing-keys',
      queue: 'default',
      schedule: { everyS: 3_600, offsetS: 600 },
      // The first run of many tenants makes a key for each, of up to a third of a second.
      expireInS: 3_600,
      async run(_payload, { signal }) {
        for (const tenantId of await listTenantIds()) {
          signal.throwIfAborted()
          await rotateSigningKeys({ db, secrets, tenantId, now: new Date(), actor })
        }
      },
    },
    {
      name: 'prune-sessions',
      queue: 'bulk',
      schedule: { everyS: 86_400, offsetS: 4 * 3_600 },
      expireInS: 3_600,
      async run(_payload, { signal }) {
        for (const tenantId of await listTenantIds())
          await pruneSessions({ db, now: new Date(), signal }, tenantId)
      },
    },
  ]
}
