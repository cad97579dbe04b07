import type { WriteStream } from 'node:tty'
import { describe, expect, test } from 'vitest'
import { startProgress } from './progress.ts'

/** What is written while the clock shows these times. */
function watch({ isTTY, isQuiet = false }: { isTTY: boolean; isQuiet?: boolean }) {
  let text = ''
  let nowMs = 1_000
  const write = (piece: string) => {
    text += piece
  }
  const stream = { isTTY, write } as unknown as WriteStream
  const progress = startProgress(stream, isQuiet, () => nowMs)
  return {
    progress,
    pass: (ms: number) => {
      nowMs += ms
    },
    text: () => text,
  }
}

describe('the progress', () => {
  test('is a line every ten seconds in a log, and the sum', () => {
    const { progress, pass, text } = watch({ isTTY: false })
    progress.say('Reading.')
    pass(5_000)
    progress.add(10_000, 0)
    pass(5_000)
    progress.add(10_000, 0)
    pass(1_000)
    progress.add(500, 200)
    progress.end()
    expect(text()).toBe(
      'Reading.\n20,000 events, 2,000/s\n20,500 events in 11.0 s, of which 200 were there already.\n',
    )
  })

  test('is one line that changes on a terminal, and makes way for others', () => {
    const { progress, pass, text } = watch({ isTTY: true })
    pass(500)
    progress.add(1_000, 0)
    pass(500)
    progress.add(1_000, 0)
    progress.say('Waiting.')
    progress.end()
    expect(text()).toBe(
      '1,000 events, 2,000/s\r\u001b[K2,000 events, 2,000/s\r\u001b[KWaiting.\n2,000 events in 1.0 s.\n',
    )
  })

  test('is silent where it is told to', () => {
    const { progress, pass, text } = watch({ isTTY: false, isQuiet: true })
    progress.say('Reading.')
    pass(20_000)
    progress.add(1, 0)
    progress.end()
    expect(text()).toBe('')
  })
})
