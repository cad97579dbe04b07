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
/** Records of the first piece, which is read while the whole is measured. */
const firstRecords = 1_000

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
  const startReading: StartReading = (part, before) => {
    const joined = new JoinedRecords(before)
    const done = withQueueDeadline(() =>
      readRecords(pool, tenantId, queue, part, record => joined.add(record)),
    )
    // It is awaited one piece later, or not at all when the consumer hangs up.
    done.catch(() => {})
    return { part, joined, done }
  }
  const early = startReading({ ...range, upTo: Math.min(range.after + firstRecords, range.upTo) }, '')
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
  // So large are records seldom that fewer than the first ones fit.
  const first =
    early.part.upTo <= range.upTo
      ? early
      : startReading({ ...range, upTo: Math.min(range.after + perPiece, range.upTo) }, '')
  return {
    count,
    bytes: before.length + measured.bytes + (count - 1) + closing.length,
    pieces: readPieces(range, { first, perPiece, before, startReading }),
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

/** A piece that is being read. */
interface Piece {
  part: LogRange
  joined: JoinedRecords
  done: Promise<void>
}
/** Begins to read a part of the queue, which `before` stands in front of. */
type StartReading = (part: LogRange, before: string) => Piece

/** The records are sent as they are stored: none is parsed. While one piece goes out, the next is read. */
async function* readPieces(
  range: LogRange,
  options: { first: Piece; perPiece: number; before: string; startReading: StartReading },
): AsyncGenerator<Buffer> {
  const { first, perPiece, before, startReading } = options
  let next = first
  for (;;) {
    const { part, joined, done } = next
    await done
    if (next === first) yield Buffer.from(before)
    // Expiry came between: the length was announced, so the answer breaks off and shows as broken.
    refuseGap(joined.count, part)
    const isLast = part.upTo === range.upTo
    if (!isLast) {
      const upTo = Math.min(part.upTo + perPiece, range.upTo)
      next = startReading({ ...range, after: part.upTo, upTo }, ',')
    }
    yield* joined.end(isLast ? closing : '')
    if (isLast) return
  }
}
