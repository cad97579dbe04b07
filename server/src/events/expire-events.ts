import { type QueueName, queueNames } from '@usher/contract'
import type { Database, DatabaseTransaction } from '../foundation/database/index.ts'
import { deleteStoredBefore } from './expiry.store.ts'
import { findFirstPosition } from './log-reads.store.ts'
import { dropPartition, finishDrops, listPartitions } from './partitions.store.ts'
import { dayAfter } from './prepare-logs.ts'
import { lockHead, updateHead } from './queue.store.ts'
import { logDays, queueDays, type Retention } from './retention.ts'

export interface TenantRetention extends Retention {
  tenantId: string
}

export interface ExpireOptions {
  db: Database
  now: Date
  tenants: readonly TenantRetention[]
  /** Says in the audit trail what a queue lost. */
  auditExpiry(trx: DatabaseTransaction, expired: ExpiredFromQueue): Promise<void>
  signal?: AbortSignal
}

export interface ExpiredFromQueue {
  tenantId: string
  queue: QueueName
  /** The head before and after. */
  from: number
  position: number
  beforeDay: string
}

/** Lets go of what is older than its retention. Heads move first, so that no queue ever points at what is
 *  gone; then shorter retentions are deleted in small batches; then whole days are dropped. */
export async function expireEvents({ db, now, tenants, auditExpiry, signal }: ExpireOptions): Promise<void> {
  for (const queue of queueNames) {
    const longest = Math.max(...tenants.map(tenant => logDays(tenant, queue)))
    for (const tenant of tenants) {
      signal?.throwIfAborted()
      await expireFromQueue(db, tenant.tenantId, queue, dayAfter(now, -queueDays(tenant, queue)), auditExpiry)
      if (logDays(tenant, queue) < longest)
        await deleteStoredBefore(db, tenant.tenantId, queue, dayAfter(now, -logDays(tenant, queue)), signal)
    }
    await finishDrops(db, queue)
    if (tenants.length === 0) continue
    for (const { name, day } of await listPartitions(db, queue))
      if (day < dayAfter(now, -longest)) await dropPartition(db, queue, name)
  }
}

async function expireFromQueue(
  db: Database,
  tenantId: string,
  queue: QueueName,
  beforeDay: string,
  auditExpiry: ExpireOptions['auditExpiry'],
): Promise<void> {
  await db.transaction().execute(async trx => {
    const positions = await lockHead(trx, tenantId, queue)
    if (!positions || positions.head === positions.tail || positions.headDay >= beforeDay) return
    const first = await findFirstPosition(trx, tenantId, queue, beforeDay)
    const position = Math.max(positions.head, (first ?? positions.tail + 1) - 1)
    // Nothing is left to look at before that day, so the next read need not either.
    await updateHead(trx, tenantId, queue, position, beforeDay)
    if (position > positions.head)
      await auditExpiry(trx, { tenantId, queue, from: positions.head, position, beforeDay })
  })
}
