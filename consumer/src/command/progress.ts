import type { WriteStream } from 'node:tty'

/** Tells on the standard error how far it came: on a terminal one line that changes, else a line every ten seconds. */
export interface Progress {
  /** Events of one batch, which now are out of the queue or about to be, and how many of them were written before. */
  add(events: number, repeated: number): void
  /** A line of its own. */
  say(line: string): void
  /** The last line, with the sum. */
  end(): void
}

const terminalEveryMs = 250
const logEveryMs = 10_000

/** `now` is in ms and never goes back. */
export function startProgress(stream: WriteStream, isQuiet: boolean, now: () => number): Progress {
  const startedMs = now()
  let saidMs = startedMs
  let saidEvents = 0
  let events = 0
  let repeated = 0
  let isLineOpen = false

  const count = (number: number) => number.toLocaleString('en-US')
  const put = (line: string, isLast: boolean) => {
    if (isQuiet) return
    // Over the line before, of which nothing may stay.
    const start = isLineOpen ? '\r\u001b[K' : ''
    isLineOpen = stream.isTTY && !isLast
    stream.write(`${start}${line}${isLineOpen ? '' : '\n'}`)
  }
  const again = () => (repeated > 0 ? `, of which ${count(repeated)} were there already` : '')

  return {
    add(more, moreRepeated) {
      events += more
      repeated += moreRepeated
      const atMs = now()
      const tookMs = atMs - saidMs
      if (tookMs < (stream.isTTY ? terminalEveryMs : logEveryMs)) return
      put(`${count(events)} events, ${count(Math.round(((events - saidEvents) * 1000) / tookMs))}/s`, false)
      saidMs = atMs
      saidEvents = events
    },
    say: line => put(line, true),
    end() {
      const tookS = (now() - startedMs) / 1000
      put(`${count(events)} events in ${tookS.toFixed(1)} s${again()}.`, true)
    },
  }
}
