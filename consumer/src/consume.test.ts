import { describe, expect, test } from 'vitest'
import { type ConsumeOptions, consume } from './consume.ts'
import { event } from './testing/example-event.ts'
import {
  type Answer,
  events,
  half,
  hangUp,
  READ,
  raw,
  removal,
  silence,
  startScriptedQueue,
  status,
} from './testing/scripted-queue.ts'

/** Consumes these answers until the queue is empty. */
async function run(answers: Answer[], options: Partial<ConsumeOptions> = {}) {
  const queue = await startScriptedQueue(...answers)
  const handled: number[] = []
  const trouble: (string | undefined)[] = []
  let error: unknown
  try {
    for await (const batch of consume({
      url: queue.url,
      key: 'a-key',
      untilEmpty: true,
      onTrouble: reason => void trouble.push(reason?.message),
      ...options,
    })) {
      expect(batch.count).toBe(batch.events.length)
      handled.push(...batch.events.map(({ event_sequence }) => event_sequence))
    }
  } catch (thrown) {
    error = thrown
  }
  return { queue, handled, trouble, error, calls: queue.calls() }
}

describe('the loop', () => {
  test('hands every batch over, and removes it when it comes back for the next', async () => {
    const queue = await startScriptedQueue(
      events(event(1), event(2)),
      status(204),
      events(event(3)),
      status(204),
      events(),
    )
    const seen: string[][] = []
    for await (const batch of consume({ url: queue.url, key: 'a-key', untilEmpty: true }))
      seen.push([...batch.events.map(({ id }) => id), ...queue.calls()])
    const batch1 = [event(1).id, event(2).id]
    expect(seen).toEqual([
      [...batch1, READ],
      [event(3).id, READ, removal(2, event(1)), READ],
    ])
    expect(queue.calls()).toEqual([READ, removal(2, event(1)), READ, removal(1, event(3)), READ])
    expect(queue.requests.every(({ headers }) => headers.authorization === 'Bearer a-key')).toBe(true)
    expect(queue.requests[0]?.headers.host).toMatch(/^platform\.localhost:/)
    const [one, other] = [queue.requests[1], queue.requests[3]].map(
      request => request?.headers['idempotency-key'],
    )
    expect(one).toMatch(/^[0-9a-f-]{36}$/)
    expect(other).toMatch(/^[0-9a-f-]{36}$/)
    expect(one).not.toBe(other)
  })

  test('asks for the queue and the number of events that it is told, below the path of its address', async () => {
    const queue = await startScriptedQueue(events(event(7)), status(204))
    const url = `${queue.url}/usher`
    for await (const _ of consume({ url, key: 'k', queue: 'heartbeats', limit: 10, untilEmpty: true }));
    expect(queue.calls()).toEqual([
      'GET /usher/api/platform/heartbeats?limit=10',
      `DELETE /usher/api/platform/heartbeats?count=1&first_id=${event(7).id}`,
      'GET /usher/api/platform/heartbeats?limit=10',
    ])
  })

  test.for([
    ['breaks', undefined],
    ['throws', new Error('a full disk')],
  ] as const)('leaves a batch in the queue when its body %s', async ([, error]) => {
    const queue = await startScriptedQueue(events(event(1)))
    const looping = (async () => {
      for await (const _ of consume({ url: queue.url, key: 'k' })) {
        if (error) throw error
        break
      }
    })()
    if (error) await expect(looping).rejects.toBe(error)
    else await looping
    expect(queue.calls()).toEqual([READ])
  })

  test('waits longer and longer where the queue is empty, and removes nothing', async () => {
    const stop = new AbortController()
    const queue = await startScriptedQueue(events(), events(), response => {
      stop.abort()
      events()(response)
    })
    for await (const _ of consume({ url: queue.url, key: 'k', signal: stop.signal }));
    expect(queue.calls()).toEqual([READ, READ, READ])
    const [first = 0, second = 0, third = 0] = queue.requests.map(({ atMs }) => atMs)
    expect(second - first).toBeGreaterThanOrEqual(240)
    expect(third - second).toBeGreaterThanOrEqual(490)
  })
})

describe('what passes by itself', () => {
  test.for([
    ['503', status(503), 'the platform answered 503: reason 503'],
    ['429', status(429), 'the platform answered 429: reason 429'],
    ['a lost connection', hangUp, /does not answer \(socket hang up\)$/],
    ['an answer that breaks off', half(event(1)), /does not answer \(aborted\)$/],
    ['a page of somebody else', raw('<html>'), /not one of the queue/],
    [
      'fewer events than are told',
      raw(`{"data":{"count":2,"events":[${JSON.stringify(event(9))}]}}`),
      /it holds 1 events and says 2/,
    ],
  ] as const)('does not lose the place: %s', async ([, trouble, message]) => {
    const { handled, calls, ...run1 } = await run([trouble, events(event(1)), status(204)])
    expect(handled).toEqual([1])
    expect(calls).toEqual([READ, READ, removal(1, event(1)), READ])
    expect(run1.trouble).toEqual([
      message instanceof RegExp ? expect.stringMatching(message) : message,
      undefined,
    ])
    expect(run1.error).toBeUndefined()
  })

  test('is waited for as long as Retry-After says', async () => {
    const { queue } = await run([status(429, { 'retry-after': '1' }), events()])
    const [refused = 0, again = 0] = queue.requests.map(({ atMs }) => atMs)
    expect(again - refused).toBeGreaterThanOrEqual(990)
  })

  test('is noticed where the platform falls silent', async () => {
    const { calls, trouble } = await run([silence, events()], { timeoutMs: 100 })
    expect(calls).toEqual([READ, READ])
    expect(trouble).toEqual([expect.stringMatching(/\(nothing came for 0\.1 s\)$/), undefined])
  })

  test('lets a removal be sent again with the same key, and its events not be handed over again', async () => {
    const { queue, handled, calls } = await run([events(event(1)), hangUp, status(503), status(204)])
    expect(handled).toEqual([1])
    expect(calls).toEqual([READ, removal(1, event(1)), removal(1, event(1)), removal(1, event(1)), READ])
    const keys = queue.requests.slice(1, 4).map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toBeDefined()
  })

  test('lets it read again when another consumer has removed the batch', async () => {
    const { handled, error, trouble } = await run([
      events(event(1)),
      status(409),
      events(event(2)),
      status(204),
    ])
    expect(handled).toEqual([1, 2])
    expect(error).toBeUndefined()
    expect(trouble).toEqual(['the platform answered 409: reason 409', undefined])
  })
})

describe('what does not pass', () => {
  test.for([401, 403, 404, 422])('ends the loop with the platform’s message: %i', async code => {
    const { error, calls } = await run([status(code)])
    expect(error).toMatchObject({ name: 'QueueError', status: code })
    expect(error).toMatchObject({ message: `the platform answered ${code}: reason ${code}` })
    expect(calls).toEqual([READ])
  })

  test('is a redirect, which the key does not follow', async () => {
    const { error, calls } = await run([status(302, { location: 'http://other.localhost/' })])
    expect(error).toMatchObject({
      message: 'the platform answered 302 to http://other.localhost/: reason 302',
    })
    expect(calls).toEqual([READ])
  })

  test('is a refused removal', async () => {
    const { error } = await run([events(event(1)), status(403)])
    expect(error).toMatchObject({ status: 403 })
  })

  test.for([
    [{ url: 'platform' }, 'url must be'],
    [{ url: 'ftp://platform' }, 'url must be'],
    [{ key: '' }, 'key must be'],
    [{ key: 'a\nb' }, 'key must be'],
    [{ limit: 0 }, 'limit must be'],
    [{ limit: 10_001 }, 'limit must be'],
    [{ queue: 'jobs' as 'events' }, 'queue must be'],
    [{ timeoutMs: 0 }, 'timeoutMs must be'],
  ] as const)('are the options %j', async ([options, message]) => {
    const { error, calls } = await run([], options)
    expect(error).toMatchObject({ name: 'TypeError', message: expect.stringContaining(message) })
    expect(calls).toEqual([])
  })
})

describe('a signal', () => {
  test('ends a read that is under way', async () => {
    const stop = new AbortController()
    const queue = await startScriptedQueue(() => stop.abort())
    for await (const _ of consume({ url: queue.url, key: 'k', signal: stop.signal }));
    expect(queue.calls()).toEqual([READ])
  })

  test('ends the wait for a platform that is away', async () => {
    const stop = new AbortController()
    const queue = await startScriptedQueue(status(503, { 'retry-after': '600' }))
    const onTrouble = () => stop.abort()
    for await (const _ of consume({ url: queue.url, key: 'k', signal: stop.signal, onTrouble }));
    expect(queue.calls()).toEqual([READ])
  })

  test('lets a batch that is being processed be removed, also where the first attempt fails', async () => {
    const stop = new AbortController()
    const queue = await startScriptedQueue(events(event(1)), status(503), status(204))
    for await (const _ of consume({ url: queue.url, key: 'k', signal: stop.signal })) stop.abort()
    expect(queue.calls()).toEqual([READ, removal(1, event(1)), removal(1, event(1))])
  })

  test('ends also where the removal is not answered', async () => {
    const stop = new AbortController()
    const queue = await startScriptedQueue(events(event(1)), silence)
    for await (const _ of consume({ url: queue.url, key: 'k', signal: stop.signal })) stop.abort()
    expect(queue.calls()).toEqual([READ, removal(1, event(1))])
  })

  test('that was given before leaves the queue alone', async () => {
    const queue = await startScriptedQueue(events(event(1)))
    for await (const _ of consume({ url: queue.url, key: 'k', signal: AbortSignal.abort() }));
    expect(queue.calls()).toEqual([])
  })
})

test('a connection that was closed while it was idle is made again without a word', async () => {
  const { trouble, calls } = await run([
    events(event(1)),
    status(204),
    // A close that is under way meets the next request, which gets no answer.
    hangUp,
    events(event(2)),
    status(204),
  ])
  expect(calls).toEqual([READ, removal(1, event(1)), READ, READ, removal(1, event(2)), READ])
  expect(trouble).toEqual([])
})
