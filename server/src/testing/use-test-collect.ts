import { afterAll, beforeAll, beforeEach } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createWholePlatform, tokens, type WholePlatform } from './whole-platform.ts'

const host = 'members.acme.example'
/** What the events are sent with unless told otherwise. */
export const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

/** A page view, or what is given of another event. */
export const event = (given: object = {}) => ({
  id: uuidv7(),
  type: 'page_view',
  session_id: 'session-1',
  url: 'https://news.acme.example/articles/one?x=1',
  event_sequence: 3,
  ...given,
})

/** What every answer of the route tells browsers. */
export const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
}

/** The route that takes events, and acme's queues, which each test of this file finds empty. */
export function useTestCollect() {
  let platform: WholePlatform
  beforeAll(async () => {
    platform = await createWholePlatform({ USHER_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' })
  })
  afterAll(() => platform.close())
  beforeEach(async () => {
    const waiting = await read()
    if (waiting.length > 0)
      await platform.request(host, {
        method: 'DELETE',
        url: `/api/platform/events?count=${waiting.length}`,
        key: tokens.acme,
      })
  })

  function send(body: unknown, headers: Record<string, string> = {}, to = host) {
    const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    return platform.request(to, {
      method: 'POST',
      url: '/api/sdk/events',
      headers: { 'content-type': 'text/plain;charset=UTF-8', 'user-agent': userAgent, ...headers },
      payload,
    })
  }

  async function read(queue = 'events'): Promise<Record<string, unknown>[]> {
    const answer = await platform.request(host, { url: `/api/platform/${queue}`, key: tokens.acme })
    return answer.json().data.events
  }

  return {
    host,
    send,
    read,
    /** There once the tests run. */
    get platform() {
      return platform
    },
  }
}
