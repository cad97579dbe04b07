import { createHash } from 'node:crypto'
import type { QueueName } from '@usher/contract'
import type { Database, DatabaseTransaction } from '../foundation/database/index.ts'
import { ApiError, invalid } from '../foundation/http/index.ts'
import {
  findRemovalFacts,
  lockHead,
  type QueuePositions,
  updateHead,
  updateHeadAndRemember,
} from './queue.store.ts'
import { withQueueDeadline } from './queue-deadline.ts'

export interface RemoveRequest {
  /** At least 1; more than what waits removes what waits. */
  count: number
  /** The id of the first event that was read: removes nothing if another stands there by now. */
  firstId?: string | undefined
  /** Names this removal, so that a retry of it removes nothing more. */
  idempotencyKey?: string | undefined
}

/** Removes events from the front of a queue (interface 4.5), in constant time: the head moves. Throws
 *  409 when `firstId` is not the front, 422 when the key was used for another removal, 503 when the
 *  database does not answer in time. */
export async function removeFromQueue(
  db: Database,
  tenantId: string,
  queue: QueueName,
  request: RemoveRequest,
): Promise<void> {
  await withQueueDeadline(signal =>
    db.transaction().execute(async trx => {
      await moveHead(trx, tenantId, queue, request)
      // Too late: the caller was refused and asks again, perhaps without a key.
      signal.throwIfAborted()
    }),
  )
}

async function moveHead(
  trx: DatabaseTransaction,
  tenantId: string,
  queue: QueueName,
  { count, firstId, idempotencyKey }: RemoveRequest,
): Promise<void> {
  const positions = await lockHead(trx, tenantId, queue)
  if (!positions) throw new Error(`Tenant ${tenantId} has no queue of ${queue}.`)
  const keyHash = idempotencyKey === undefined ? null : hashOf(idempotencyKey)
  const last = Math.min(positions.head + count, positions.tail)
  const facts = await findRemovalFacts(trx, tenantId, queue, { positions, last, keyHash })
  if (facts && facts.usedForCount !== null) {
    if (facts.usedForCount === count && facts.usedForFirstId === (firstId ?? null)) return
    throw invalid({
      'idempotency-key': ['This Idempotency-Key was used for another removal. Make a new one.'],
    })
  }
  if (firstId !== undefined && facts?.frontId !== firstId) throw frontMoved(positions)
  const day = facts?.lastDay ?? positions.headDay
  if (keyHash) {
    const removal = { keyHash, count, firstId: firstId ?? null }
    await updateHeadAndRemember(trx, tenantId, queue, { position: last, day }, removal)
  } else if (last > positions.head) await updateHead(trx, tenantId, queue, last, day)
}

/** A key can be any text; what is kept has one size. */
const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()

function frontMoved({ head, tail }: QueuePositions): ApiError {
  return new ApiError(
    409,
    head === tail
      ? 'Nothing waits, so first_id is not at the front: it was removed already, or never was here. Read again.'
      : 'first_id is not at the front: it was removed already, the queue was moved back, or it never was here. Read again.',
  )
}
