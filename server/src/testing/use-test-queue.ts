import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createWholePlatform, tokens, type WholePlatform } from './whole-platform.ts'

const path = '/api/platform/events'
const flagOn =
  'tenants: [{ slug: acme, name: Acme Daily, domain: members.acme.example, flags: [UseQueueEvents] }]'
const flagOff = flagOn.replace('[UseQueueEvents]', '[]')

/** The Event Queue of acme, over HTTP, which each test of this file finds empty and with its flag on. */
export function useTestQueue() {
  const host = 'members.acme.example'
  let platform: WholePlatform
  beforeAll(async () => {
    platform = await createWholePlatform()
  })
  afterAll(() => platform.close())
  beforeEach(async () => {
    await platform.apply(flagOn)
    await remove('count=999999999999999')
  })

  /** Sends so many events and answers their ids. */
  async function record(count: number, given: object = {}, perRequest = 100): Promise<string[]> {
    const ids = Array.from({ length: count }, uuidv7)
    for (let from = 0; from < count; from += perRequest) {
      const events = ids.slice(from, from + perRequest).map((id, at) => ({
        id,
        type: 'page_view',
        session_id: 's',
        url: 'https://news.acme.example/',
        event_sequence: from + at,
        ...given,
      }))
      const answer = await platform.request(host, {
        method: 'POST',
        url: '/api/sdk/events',
        headers: { 'content-type': 'text/plain' },
        payload: JSON.stringify({ events }),
      })
      expect(answer.statusCode).toBe(202)
    }
    return ids
  }

  const read = (query = '', to = host) => platform.request(to, { url: path + query, key: tokens.acme })
  const readIds = async (query = ''): Promise<string[]> =>
    (await read(query)).json().data.events.map((event: { id: string }) => event.id)
  const remove = (query: string, headers: Record<string, string> = {}) =>
    platform.request(host, { method: 'DELETE', url: `${path}?${query}`, key: tokens.acme, headers })
  const rewind = (to: unknown) =>
    platform.request(host, {
      method: 'POST',
      url: `${path}/rewind`,
      key: tokens.acme,
      payload: { to } as object,
    })

  return {
    host,
    path,
    flagOn,
    flagOff,
    record,
    read,
    readIds,
    remove,
    rewind,
    /** There once the tests run. */
    get platform() {
      return platform
    },
  }
}
