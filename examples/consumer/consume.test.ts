import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { consume } from './consume.ts'
import { describeEvent } from './describe-event.ts'
import { createQueueClient, type EventRecord } from './queue-client.ts'

const event = (n: number, more: Partial<EventRecord> = {}): EventRecord => ({
  id: `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`,
  type: 'page_view',
  session_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  audience_member_id: null,
  url: 'https://news.example/a?b=c',
  page_hostname: 'news.example',
  page_path: '/a',
  user_agent: 'Mozilla/5.0',
  ip_address: '192.0.2.1',
  event_sequence: n,
  created_at: '2026-01-05T12:00:00.000+00:00',
  ...more,
})

interface Request {
  call: string
  headers: IncomingHttpHeaders
}

type Answer = (response: ServerResponse) => void
const events = (...list: EventRecord[]): Answer => {
  return response => response.end(JSON.stringify({ data: { count: list.length, events: list } }))
}
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  response =>
    response.writeHead(code, headers).end(code === 204 ? '' : JSON.stringify({ message: `answer ${code}` }))
const hangUp: Answer = response => response.destroy()

let answers: Answer[] = []
let requests: Request[] = []
const server = createServer(({ method, url, headers }, response) => {
  requests.push({ call: `${method} ${url}`, headers })
  const answer = answers.shift() ?? events()
  answer(response)
})

beforeEach(async () => {
  answers = []
  requests = []
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

/** Consumes these answers, and stops when they are used up. */
async function run(...given: Answer[]) {
  answers = given
  const { port } = server.address() as AddressInfo
  const stop = new AbortController()
  const handled: number[] = []
  const waits: number[] = []
  const trouble: (string | undefined)[] = []
  const error = await consume({
    // A name that Node does not resolve by itself everywhere.
    queue: createQueueClient({ url: `http://platform.localhost:${port}`, key: 'a-key' }),
    handle: ({ event_sequence }) => void handled.push(event_sequence),
    onTrouble: reason => void trouble.push(reason),
    wait: async ms => {
      waits.push(ms)
      if (answers.length === 0) stop.abort()
    },
    random: () => 0.5,
    signal: stop.signal,
  }).catch((error: Error) => error)
  return { handled, waits, trouble, error, calls: requests.map(({ call }) => call) }
}

const removal = (count: number, first: EventRecord) =>
  `DELETE /api/platform/events?count=${count}&first_id=${first.id}`
const READ = 'GET /api/platform/events'

describe('the consumer', () => {
  test('hands every event over and then removes what it has read', async () => {
    const { handled, calls, error } = await run(
      events(event(1), event(2)),
      status(204),
      events(event(3)),
      status(204),
    )
    expect(error).toBeUndefined()
    expect(handled).toEqual([1, 2, 3])
    expect(calls).toEqual([READ, removal(2, event(1)), READ, removal(1, event(3)), READ])
    expect(requests.every(({ headers }) => headers.authorization === 'Bearer a-key')).toBe(true)
    expect(requests[0]?.headers.host).toMatch(/^platform\.localhost:/)
    const [one, other] = [requests[1], requests[3]].map(request => request?.headers['idempotency-key'])
    expect(one).toMatch(/^[0-9a-f-]{36}$/)
    expect(one).not.toBe(other)
  })

  test('waits where the queue is empty, and removes nothing', async () => {
    const { calls, waits } = await run(events(), events())
    expect(calls).toEqual([READ, READ])
    expect(waits).toEqual([1000, 1000])
  })

  test('reads again after 503 and a lost connection, at growing distances, and says so once', async () => {
    const { handled, waits, trouble } = await run(
      status(503),
      hangUp,
      status(429, { 'retry-after': '9' }),
      events(event(1)),
      status(204),
    )
    expect(handled).toEqual([1])
    expect(waits).toEqual([375, 750, 9000, 1000])
    expect(trouble).toEqual(['503: answer 503', undefined])
  })

  test('sends a removal again with the same key, and does not handle its events twice', async () => {
    const { handled, calls } = await run(events(event(1)), hangUp, status(503), status(204))
    expect(handled).toEqual([1])
    expect(calls).toEqual([READ, removal(1, event(1)), removal(1, event(1)), removal(1, event(1)), READ])
    const keys = requests.slice(1, 4).map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
  })

  test('goes on when another consumer has removed the events', async () => {
    const { handled, error } = await run(events(event(1)), status(409), events(event(2)), status(204))
    expect(handled).toEqual([1, 2])
    expect(error).toBeUndefined()
  })

  test.for([401, 403, 422])('ends with the platform’s message on %i', async code => {
    const { error, calls } = await run(status(code))
    expect(error).toMatchObject({ message: `${code}: answer ${code}` })
    expect(calls).toEqual([READ])
  })

  test('stops while the platform is away', async () => {
    const { error, handled } = await run(status(503))
    expect(error).toBeUndefined()
    expect(handled).toEqual([])
  })
})

describe('an event in one line', () => {
  test('says when, what, where and in which session', () => {
    expect(describeEvent(event(4))).toBe('12:00:00 page_view        news.example/a · session …9a8057 #4')
    const saved = event(5, { type: 'article_saved', properties: { slug: 'x' }, audience_member_id: 'm-1' })
    expect(describeEvent(saved)).toBe(
      '12:00:00 article_saved    news.example/a {"slug":"x"} · session …9a8057 #5 · member m-1',
    )
  })

  test('holds nothing that a terminal would obey', () => {
    const line = describeEvent(
      event(1, { page_path: '/\u001b[2J\r\n\u009b31m\u202e', session_id: 'a\u0007b' }),
    )
    expect(line).toBe(
      '12:00:00 page_view        news.example/\uFFFD[2J\uFFFD\uFFFD\uFFFD31m\uFFFD · session …a\uFFFDb #1',
    )
  })
})
