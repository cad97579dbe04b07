import { describe, expect, test } from 'vitest'
import { DeadlineExceeded, withDeadline } from './deadline.ts'

describe('withDeadline', () => {
  test('gives what came in time', async () => {
    expect(await withDeadline(1_000, 'The answer', async () => 42)).toBe(42)
  })

  test('throws what failed in time', async () => {
    const fault = new Error('broken')
    await expect(withDeadline(1_000, 'The answer', () => Promise.reject(fault))).rejects.toBe(fault)
  })

  test('says what was late and aborts it', async () => {
    let seen: AbortSignal | undefined
    const late = withDeadline(20, 'The database', signal => {
      seen = signal
      return new Promise<never>(() => {})
    })
    await expect(late).rejects.toThrow('The database did not answer within 20 ms.')
    await expect(late).rejects.toBeInstanceOf(DeadlineExceeded)
    expect(seen?.aborted).toBe(true)
  })

  test('leaves no unhandled rejection when the late one fails afterwards', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const late = Promise.withResolvers<never>()
    await expect(withDeadline(5, 'The database', () => late.promise)).rejects.toBeInstanceOf(DeadlineExceeded)
    late.reject(new Error('too late to matter'))
    // Node tells of them once the microtasks are done.
    await new Promise(resolve => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})
