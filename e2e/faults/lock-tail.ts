import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { FaultTenant } from './platform-file.ts'

export interface TailLock {
  /** Resolves when another transaction waits for the lock. */
  untilWaitedFor(): Promise<void>
  release(): Promise<void>
}

/** Locks the tail of a tenant's Event Queue in a transaction of its own, as another process that writes for
 *  the tenant does. The end of the test releases it. */
export async function lockTail(databaseUrl: string, tenant: FaultTenant): Promise<TailLock> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  let isHeld = true
  const release = async () => {
    if (!isHeld) return
    isHeld = false
    // The end of the connection ends its transaction.
    await client.end()
  }
  onTestFinished(release)
  await client.query('begin')
  await client.query(
    `select from queue_tails q join tenants t on t.id = q.tenant_id
     where t.slug = $1 and q.queue = 'events' for update of q`,
    [tenant.slug],
  )
  return {
    async untilWaitedFor() {
      for (let look = 0; look < 200; look++) {
        const { rows } = await client.query(
          'select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))',
        )
        if (rows.length > 0) return
        await delay(20)
      }
      throw new Error(`nobody waits for the tail of ${tenant.slug}`)
    },
    release,
  }
}
