import { isAscii } from 'node:buffer'
import type { EventRecord } from './event-record.ts'

/** What stands before the events in an answer of GET (interface 4.4). */
const opening = /^\{"data":\{"count":(\d+),"events":\[/
const longestOpening = 64
/** The seam of two records. A text ends with `"`, and no letter follows it there, so this is outside of texts. */
const seam = Buffer.from('},{"id":"')
/** A piece's aim: large enough to be few, small enough to stay in the processor's cache. */
const pieceBytes = 256 * 1024

const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Parses the body of a GET while it comes, so that neither its bytes nor its text are ever held as a whole. Throws a
 * SyntaxError when it is not an answer of the queue, or holds another number of events than it says.
 */
export async function readEvents(body: AsyncIterable<Buffer>): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  let pending: Buffer[] = []
  let pendingBytes = 0
  let wantedBytes = pieceBytes
  /** What the opening said; undefined while it was not read, or is another. Then all is parsed at the end. */
  let count: number | undefined

  for await (const chunk of body) {
    pending.push(chunk)
    pendingBytes += chunk.length
    if (pendingBytes < wantedBytes) continue
    const seamAt = chunk.lastIndexOf(seam)
    if (seamAt < 0) continue

    const bytes = pending.length === 1 ? chunk : Buffer.concat(pending)
    const comma = bytes.length - chunk.length + seamAt + 1
    let start = 0
    let said = count
    if (said === undefined) {
      const found = opening.exec(bytes.toString('latin1', 0, longestOpening))
      start = found ? found[0].length - 1 : 0
      said = found ? Number(found[1]) : undefined
    }
    const list = said === undefined ? undefined : parseList(bytes.subarray(start, comma + 1))
    if (list) {
      for (const event of list) events.push(event)
      count = said
      pending = [bytes.subarray(comma)]
      wantedBytes = pieceBytes
    } else {
      // The seam is one inside of a record, which a later one is not. Twice as far, so that the work stays linear.
      pending = [bytes]
      wantedBytes = bytes.length * 2
    }
    pendingBytes = pending[0]?.length ?? 0
  }

  const rest = textOf(Buffer.concat(pending))
  const data = JSON.parse(count === undefined ? rest : `{"data":{"events":${rest}`)?.data
  if (!Array.isArray(data?.events)) throw new SyntaxError('it holds no list of events')
  for (const event of data.events) events.push(event)
  const saidCount = count ?? data.count
  if (events.length !== saidCount)
    throw new SyntaxError(`it holds ${events.length} events and says ${saidCount}`)
  return events
}

/** Parses what stands between two seams, of which the brackets take the places; undefined where that is no list. */
function parseList(bytes: Buffer): EventRecord[] | undefined {
  bytes[0] = openBracket
  const last = bytes.length - 1
  const [was = 0] = bytes.subarray(last)
  bytes[last] = closeBracket
  const text = textOf(bytes)
  bytes[last] = was
  try {
    const list: EventRecord[] = JSON.parse(text)
    // It is the first byte of the next.
    bytes[last] = openBracket
    return list
  } catch {
    return undefined
  }
}

/** Text of one byte a character is decoded, kept and parsed faster. */
const textOf = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
