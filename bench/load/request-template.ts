import { eventIdWriter } from './event-ids.ts'
import { pages, siteOrigin } from './pages.ts'

/** The bytes of a request, and where in them what changes from one to the next stands. */
export interface RequestTemplate {
  bytes: Buffer
  idAt: readonly number[]
  sequenceAt: readonly number[]
  timeAt: readonly number[]
}

const placeholderId = '00000000-0000-7000-8000-000000000000'
/** JSON allows no leading zero, and the length may not change. */
const firstSequence = 1_000_000
const lastSequence = 9_999_999
const placeholderTime = '0000-00-00T00:00:00.000Z'

export interface RequestOptions {
  host: string
  port: number
  path: string
  eventsPerRequest: number
  sessionId: string
}

/** Builds a request to collect as the browser SDK sends it from Chrome. */
export function requestTemplate(options: RequestOptions): RequestTemplate {
  const { host, port, path, eventsPerRequest, sessionId } = options
  const events = Array.from({ length: eventsPerRequest }, (_, index) =>
    JSON.stringify({
      id: placeholderId,
      type: 'page_view',
      session_id: sessionId,
      url: `${siteOrigin}/${pages[index % pages.length]}`,
      event_sequence: firstSequence,
      occurred_at: placeholderTime,
    }),
  )
  const body = `{"sent_at":"${placeholderTime}","events":[${events.join()}]}`
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    'Connection: keep-alive',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Content-Type: text/plain',
    'Accept: */*',
    `Origin: ${siteOrigin}`,
    `Referer: ${siteOrigin}/`,
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-GB,en;q=0.9',
  ]
  const text = `${head.join('\r\n')}\r\n\r\n${body}`
  return {
    bytes: Buffer.from(text, 'latin1'),
    idAt: placesOf(text, placeholderId),
    sequenceAt: placesOf(text, `:${firstSequence}`).map(place => place + 1),
    timeAt: placesOf(text, placeholderTime),
  }
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at)
  return places
}

/** Makes each request new: ids that were never used, the next sequence numbers, the time. One stamp
 *  serves all connections of a process. `nowMs` answers Unix milliseconds. */
export function requestStamp(nowMs: () => number = Date.now) {
  const ids = eventIdWriter()
  const time = Buffer.alloc(placeholderTime.length)
  let lastMs = 0
  return function stamp({ bytes, idAt, sequenceAt, timeAt }: RequestTemplate): void {
    const ms = nowMs()
    if (ms !== lastMs) {
      lastMs = ms
      ids.setTime(ms)
      time.write(new Date(ms).toISOString(), 'latin1')
    }
    for (const at of timeAt) bytes.set(time, at)
    for (const at of idAt) ids.writeId(bytes, at)
    for (const at of sequenceAt) countUp(bytes, at)
  }
}

const sequenceDigits = String(lastSequence).length
const nine = 0x39

/** Adds one to a decimal number in place, from the last back to the first sequence. */
function countUp(bytes: Buffer, at: number): void {
  for (let place = at + sequenceDigits - 1; place >= at; place--) {
    const digit = bytes[place] ?? nine
    if (digit !== nine) {
      bytes[place] = digit + 1
      return
    }
    bytes[place] = 0x30
  }
  bytes.write(String(firstSequence), at, 'latin1')
}
