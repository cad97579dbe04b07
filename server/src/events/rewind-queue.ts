import type { QueueName } from '@usher/contract'
import type { Database, DatabaseTransaction } from '../foundation/database/index.ts'
import { invalid } from '../foundation/http/index.ts'
import { findAtPosition, findFirstPosition } from './log-reads.store.ts'
import { lockHead, updateHead } from './queue.store.ts'
import { withQueueDeadline } from './queue-deadline.ts'

const anyDay = { fromDay: '-infinity', toDay: 'infinity' }

export interface Rewound {
  /** Where the head was and is. */
  from: number
  position: number
  depth: number
}

export interface RewindRequest {
  /** A position, or the time from which on events are read again. */
  to: number | Date
  /** Older days are not kept, though expiry may not have come to them yet. */
  keptFromDay: string
}

/** Moves the head back: to a position, or to the first event received at a time or later; at most to
 *  the oldest event that is kept. Throws 422 for a position ahead of the head, 503 when the database
 *  does not answer in time. */
export function rewindQueue(
  db: Database,
  tenantId: string,
  queue: QueueName,
  request: RewindRequest,
  audit: (trx: DatabaseTransaction, rewound: Rewound) => Promise<void>,
): Promise<Rewound> {
  return withQueueDeadline(signal =>
    db.transaction().execute(async trx => {
      const rewound = await moveHeadBack(trx, tenantId, queue, request, audit)
      signal.throwIfAborted()
      return rewound
    }),
  )
}

async function moveHeadBack(
  trx: DatabaseTransaction,
  tenantId: string,
  queue: QueueName,
  { to, keptFromDay }: RewindRequest,
  audit: (trx: DatabaseTransaction, rewound: Rewound) => Promise<void>,
): Promise<Rewound> {
  const positions = await lockHead(trx, tenantId, queue)
  if (!positions) throw new Error(`Tenant ${tenantId} has no queue of ${queue}.`)
  const { head, tail } = positions
  if (typeof to === 'number' && to > head)
    throw invalid({ to: [`to must be at most ${head}, where the queue is: a rewind goes back only.`] })
  const firstKept = (await findFirstPosition(trx, tenantId, queue, keptFromDay)) ?? tail + 1
  const wanted = typeof to === 'number' ? to : await positionBefore(trx, tenantId, queue, to, firstKept, head)
  const position = Math.min(head, Math.max(wanted, firstKept - 1))
  const rewound = { from: head, position, depth: tail - position }
  if (position === head) return rewound
  const next = await findAtPosition(trx, tenantId, queue, position + 1, anyDay)
  await updateHead(trx, tenantId, queue, position, next?.day ?? '-infinity')
  await audit(trx, rewound)
  return rewound
}

/** The last position received before a time. Receipt times rise with positions, so this halves the range
 *  with an index probe each, instead of scanning it. */
async function positionBefore(
  trx: DatabaseTransaction,
  tenantId: string,
  queue: QueueName,
  time: Date,
  firstKept: number,
  head: number,
): Promise<number> {
  let before = firstKept - 1
  let notBefore = head + 1
  while (notBefore - before > 1) {
    const middle = Math.floor((before + notBefore) / 2)
    const entry = await findAtPosition(trx, tenantId, queue, middle, anyDay)
    if (entry && entry.receivedAt < time) before = middle
    else notBefore = middle
  }
  return before
}
