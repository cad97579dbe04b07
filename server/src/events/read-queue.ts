import { maxBytesPerRead, type QueueName } from '@usher/contract'
import type { Database } from '../foundation/database/index.ts'
import { unavailable } from '../foundation/http/index.ts'
import { findLastFitting, type LogRange, measureRange, readRecords } from './log-reads.store.ts'
import { findPositions } from './queue.store.ts'
import { withQueueDeadline } from './queue-deadline.ts'

/** An answer of GET /api/platform/events: its exact length, and its JSON text in pieces. */
export interface QueueRead {
  count: number
  bytes: number
  pieces: AsyncIterable<string>
}

/** A piece's aim: large enough to be few, small enough to hold two. */
const pieceBytes = 512 * 1024
const maxPieceRecords = 1_000

/** Reads up to `limit` events from the front of a queue, leaving them there (interface 4.4). Throws 503
 *  when a position is missing, rather than answer fewer, and when the database does not answer in time. */
export function readQueue(
  db: Database,
  tenantId: string,
  queue: QueueName,
  limit: number,
): Promise<QueueRead> {
  return withQueueDeadline(() => measureRead(db, tenantId, queue, limit))
}

async function measureRead(
  db: Database,
  tenantId: string,
  queue: QueueName,
  limit: number,
): Promise<QueueRead> {
  const positions = await findPositions(db, tenantId, queue)
  if (!positions) throw new Error(`Tenant ${tenantId} has no queue of ${queue}.`)
  if (!positions.active || positions.head === positions.tail) return answer(0, 0, nothing())

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
  const perPiece = Math.ceil((pieceBytes * measured.count) / measured.bytes)
  const pieces = readPieces(db, tenantId, queue, range, Math.min(perPiece, maxPieceRecords))
  return answer(measured.count, measured.bytes, pieces)
}

function refuseGap(count: number, range: LogRange): void {
  if (count !== range.upTo - range.after)
    throw unavailable(
      'A part of the queue cannot be read now. Try again shortly.',
      new Error(`gap in the log: ${count} records after position ${range.after} up to ${range.upTo}`),
    )
}

async function* nothing(): AsyncGenerator<string> {}

/** The records are sent as they are stored: none is parsed. */
async function* readPieces(
  db: Database,
  tenantId: string,
  queue: QueueName,
  range: LogRange,
  perPiece: number,
): AsyncGenerator<string> {
  let after = range.after
  let fromDay = range.fromDay
  while (after < range.upTo) {
    const upTo = Math.min(after + perPiece, range.upTo)
    const part = { after, upTo, fromDay, toDay: range.toDay }
    const piece = await withQueueDeadline(() => readRecords(db, tenantId, queue, part))
    // Expiry came between: the length was announced, so the answer breaks off and shows as broken.
    refuseGap(piece.count, { ...range, after, upTo })
    yield piece.records
    fromDay = piece.lastDay
    after = upTo
  }
}

function answer(count: number, recordBytes: number, records: AsyncIterable<string>): QueueRead {
  const before = `{"data":{"count":${count},"events":[`
  const after = ']}}'
  async function* pieces(): AsyncGenerator<string> {
    yield before
    let isFirst = true
    for await (const piece of records) {
      yield isFirst ? piece : `,${piece}`
      isFirst = false
    }
    yield after
  }
  const commas = Math.max(0, count - 1)
  return { count, bytes: before.length + recordBytes + commas + after.length, pieces: pieces() }
}
