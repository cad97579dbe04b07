import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { watchParent } from './watch-parent.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** How often it is called when the parent ends after a while. */
function callsWith(script: string | undefined): number {
  const self = { env: script === undefined ? {} : { npm_lifecycle_script: script }, ppid: 100 }
  const onGone = vi.fn()
  watchParent(self, onGone)
  vi.advanceTimersByTime(5_000)
  expect(onGone).not.toHaveBeenCalled()
  self.ppid = 1
  vi.advanceTimersByTime(5_000)
  return onGone.mock.calls.length
}

describe('the end of the parent', () => {
  test.for([
    "'usher-consume'",
    "'usher-consume' '--follow' '--out' 'events.ndjson'",
    'usher-consume --follow',
    './node_modules/.bin/usher-consume --follow',
  ])('is noticed where npm runs %s', script => {
    expect(callsWith(script)).toBe(1)
  })

  test.for([undefined, 'nohup usher-consume --follow', 'usher-consume --follow &', 'vitest run'])(
    'is nothing where npm runs %s',
    script => {
      expect(callsWith(script)).toBe(0)
    },
  )
})
