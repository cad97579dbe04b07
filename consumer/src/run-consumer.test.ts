import { describe, expect, test } from 'vitest'
import { type PoisonVerdict, runConsumer } from './run-consumer.ts'
import { event } from './testing/example-event.ts'
import { events, READ, removal, startScriptedQueue, status } from './testing/scripted-queue.ts'

const broken = new Error('no such table')

describe('a handler', () => {
  test('gets every batch, each removed when it has returned', async () => {
    const queue = await startScriptedQueue(
      events(event(1), event(2)),
      status(204),
      events(event(3)),
      status(204),
    )
    const seen: (number | string)[] = []
    await runConsumer({
      url: queue.url,
      key: 'k',
      untilEmpty: true,
      handle: async ({ events }) => {
        seen.push(...events.map(({ event_sequence }) => event_sequence), ...queue.calls())
      },
    })
    expect(seen).toEqual([1, 2, READ, 3, READ, removal(2, event(1)), READ])
  })

  test('that throws is called again with the same batch, which is not read again', async () => {
    const queue = await startScriptedQueue(events(event(1)), status(204))
    let calls = 0
    await runConsumer({
      url: queue.url,
      key: 'k',
      untilEmpty: true,
      handle: () => {
        if (++calls < 3) throw broken
      },
    })
    expect(calls).toBe(3)
    expect(queue.calls()).toEqual([READ, removal(1, event(1)), READ])
  })

  test('that fails while the consumer is told to stop leaves its batch in the queue', async () => {
    const queue = await startScriptedQueue(events(event(1)))
    const stop = new AbortController()
    await runConsumer({
      url: queue.url,
      key: 'k',
      signal: stop.signal,
      handle: () => {
        stop.abort()
        throw broken
      },
    })
    expect(queue.calls()).toEqual([READ])
  })
})

describe('a poisonous batch', () => {
  const handle = () => {
    throw broken
  }

  test('stops the consumer and stays in the queue, where nobody decides', async () => {
    const queue = await startScriptedQueue(events(event(1), event(2)))
    const running = runConsumer({ url: queue.url, key: 'k', handle, attempts: 2 })
    await expect(running).rejects.toMatchObject({
      name: 'PoisonousBatch',
      message: `2 events from ${event(1).id} on failed at 2 attempts: no such table`,
      cause: broken,
      batch: { count: 2, events: [event(1), event(2)] },
    })
    expect(queue.calls()).toEqual([READ])
  })

  test('is handed to onPoison, whose "skip" removes it', async () => {
    const queue = await startScriptedQueue(events(event(1)), status(204))
    const seen: unknown[] = []
    await runConsumer({
      url: queue.url,
      key: 'k',
      untilEmpty: true,
      attempts: 1,
      handle,
      onPoison: async (batch, error): Promise<PoisonVerdict> => {
        seen.push(batch, error)
        return 'skip'
      },
    })
    expect(seen).toEqual([{ count: 1, events: [event(1)] }, broken])
    expect(queue.calls()).toEqual([READ, removal(1, event(1)), READ])
  })

  test('is handed to onPoison, whose "stop" leaves it', async () => {
    const queue = await startScriptedQueue(events(event(1)))
    const running = runConsumer({ url: queue.url, key: 'k', attempts: 1, handle, onPoison: () => 'stop' })
    await expect(running).rejects.toMatchObject({ name: 'PoisonousBatch' })
    expect(queue.calls()).toEqual([READ])
  })

  test('is not removed when onPoison fails too', async () => {
    const queue = await startScriptedQueue(events(event(1)))
    const failing = new Error('no room for it')
    const onPoison = () => Promise.reject<PoisonVerdict>(failing)
    await expect(runConsumer({ url: queue.url, key: 'k', attempts: 1, handle, onPoison })).rejects.toBe(
      failing,
    )
    expect(queue.calls()).toEqual([READ])
  })
})
