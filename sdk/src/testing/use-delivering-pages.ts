import { afterEach, beforeEach } from 'vitest'
import { createDelivery } from '../delivery.ts'
import { createOutbox, type WaitingEvent } from '../outbox.ts'
import { createPageLocks } from '../page-locks.ts'
import { openStorage } from '../storage.ts'
import { sendEvents } from '../transport.ts'
import { createClock } from './clock.ts'
import { type CollectServer, startCollectServer } from './collect-server.ts'
import { createWebStorage } from './web-storage.ts'

/** A server for each test of this file, and pages that deliver events to it. */
export function useDeliveringPages() {
  let server: CollectServer
  beforeEach(async () => {
    server = await startCollectServer()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  /** A page that sends to the server for real, by a clock that the test moves. */
  function openPage(web = createWebStorage(), clock = createClock(), pageId = 'a') {
    const { now, schedule } = clock
    const storage = openStorage(() => web)
    const outbox = createOutbox({
      storage,
      prefix: 'events:',
      pageId,
      now,
      defer: write => write(),
      locks: createPageLocks(undefined),
    })
    const underWay = new Set<Promise<unknown>>()
    const keepalives: boolean[] = []
    const lasts: boolean[] = []
    const refused: string[] = []
    const network = { online: true }
    const delivery = createDelivery({
      outbox,
      send(events: WaitingEvent[], keepalive, isLast) {
        keepalives.push(keepalive)
        lasts.push(isLast)
        const request = sendEvents(server.endpoint, events, { keepalive, isLast, token: '', now })
        underWay.add(request)
        return request.finally(() => underWay.delete(request))
      },
      storage,
      key: 'wait',
      now,
      random: () => 0.5,
      schedule,
      isOnline: () => network.online,
      onRefused: message => void refused.push(message),
    })
    const settle = async () => {
      while (underWay.size > 0) await Promise.all(underWay)
      // What follows upon the answer runs before this goes on.
      await new Promise(resolve => setImmediate(resolve))
    }
    return {
      clock,
      delivery,
      add: (event: object, member = '') => outbox.add(JSON.stringify(event), member),
      keepalives,
      lasts,
      network,
      outbox,
      refused,
      settle,
      storage,
      track(...ids: string[]) {
        for (const id of ids) outbox.add(JSON.stringify({ id, type: `event_${id}` }), '')
        delivery.wake()
      },
      async advance(ms: number) {
        clock.advance(ms)
        await settle()
      },
    }
  }

  return {
    openPage,
    /** This test's. */
    get server() {
      return server
    },
  }
}
