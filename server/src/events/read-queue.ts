import { maxBytesPerRead, type QueueName } from '@usher/contract'
import type { OpenDatabase } from '../foundation/database/index.ts'
import { unavailable } from '../foundation/http/index.ts'
import { JoinedRecords } from './joined-records.ts'
import { findLastFitting, type LogRange, measureRange, readRecords } from './log-reads.store.ts'
import { findPositions } from './queue.store.ts'
import { withQueueDeadline } from './queue-deadline.ts'

/** An answer of GET /api/platform/events: its exact length, and its JSON text in pieces. */
export interface QueueRead {
  count: number
  bytes: number
  pieces: AsyncIterable<Buffer>
}

/** A piece's aim: large enough to be few statements, small enough to hold two for each consumer. */
const pieceBytes = 2 * 1024 * 1024

/** Reads up to `limit` events from the front of a queue, leaving them there (interface 4.4). Throws 503
 *  when a position is missing, rather than answer fewer, and when the database does not answer in time. */
export function readQueue(
  database: OpenDatabase,
  tenantId: string,
  queue: QueueName,
  limit: number,
): Promise<QueueRead> {
  return withQueueDeadline(() => measureRead(database, tenantId, queue, limit))
}

async function measureRead(
  { db, pool }: OpenDatabase,
  tenantId: string,
  queue: QueueName,
  limit: number,
): Promise<QueueRead> {
  const positions = await findPositions(db, tenantId, queue)
  if (!positions) throw new Error(`Tenant ${tenantId} has no queue of ${queue}.`)
  if (!positions.active || positions.head === positions.tail)
    return {
      count: 0,
      bytes: emptyAnswer.length,
      pieces: (async function* () {
        yield emptyAnswer
      })(),
    }

  const range: LogRange = {
    after: positions.head,
    upTo: Math.min(positions.head + limit, positions.tail),
    fromDay: positions.headDay,
    toDay: positions.tailDay,
  }
  let measured = await measureRange(db, tenantId, queue, range)
  refuseGap(measured.count, range)
  if (measured.bytes > maxBytesPerRead) {
    range.upTo = await findLastFitting(db, tenantId, queue, range, maxBytesPerRead)
    measured = await measureRange(db, tenantId, queue, range)
    refuseGap(measured.count, range)
  }
  const { count } = measured
  const perPiece = Math.ceil((pieceBytes * count) / measured.bytes)
  const before = opening(count)
  return {
    count,
    bytes: before.length + measured.bytes + (count - 1) + closing.length,
    pieces: readPieces(range, perPiece, before, (part, onRecord) =>
      readRecords(pool, tenantId, queue, part, onRecord),
    ),
  }
}

const opening = (count: number): string => `{"data":{"count":${count},"events":[`
const closing = ']}}'
const emptyAnswer = Buffer.from(opening(0) + closing)

function refuseGap(count: number, range: LogRange): void {
  if (count !== range.upTo - range.after)
    throw unavailable(
      'A part of the queue cannot be read now. Try again shortly.',
      new Error(`gap in the log: ${count} records after position ${range.after} up to ${range.upTo}`),
    )
}

/** The records are sent as they are stored: none is parsed. While one piece goes out, the next is read. */
async function* readPieces(
  range: LogRange,
  perPiece: number,
  before: string,
  read: (part: LogRange, onRecord: (record: Buffer) => void) => Promise<void>,
): AsyncGenerator<Buffer> {
  const startReading = (after: number) => {
    const part = { ...range, after, upTo: Math.min(after + perPiece, range.upTo) }
    const joined = new JoinedRecords(after === range.after ? before : ',')
    const done = withQueueDeadline(() => read(part, record => joined.add(record)))
    // It is awaited one piece later, or not at all when the consumer hangs up.
    done.catch(() => {})
    return { part, joined, done }
  }
  let next = startReading(range.after)
  for (;;) {
    const { part, joined, done } = next
    await done
    // Expiry came between: the length was announced, so the answer breaks off and shows as broken.
    refuseGap(joined.count, part)
    const isLast = part.upTo === range.upTo
    if (!isLast) next = startReading(part.upTo)
    yield* joined.end(isLast ? closing : '')
    if (isLast) return
  }
}
