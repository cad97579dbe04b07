import { describe, expect, test } from 'vitest'
import { findViolations, type Log } from './check-log.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { acme } from './platform-file.ts'

/** Six events of two connections that went well. */
function goodRun(): { ledger: Ledger; log: Log & { rows: Log['rows'][number][] } } {
  const ledger = openLedger(acme)
  const ids = ['a0', 'b0', 'a1', 'a2', 'b1', 'b2']
  ledger.accepted = ids.length
  const rows = ids.map((id, at) => {
    ledger.sent.set(id, { connection: id.slice(0, 1), sequence: Number(id.slice(1)) })
    ledger.acknowledged.add(id)
    ledger.removed.push(id)
    return {
      id,
      position: at + 1,
      day: '2026-05-01',
      createdAt: `2026-05-01T12:00:00.00${Math.floor(at / 2)}+00:00`,
    }
  })
  return { ledger, log: { rows, tail: 6, head: 6 } }
}

type Run = ReturnType<typeof goodRun>

describe('the checker of the fault tests', () => {
  test('finds nothing where all is well', () => {
    const { ledger, log } = goodRun()
    expect(findViolations(ledger, log)).toEqual([])
  })

  test('allows what was sent and not acknowledged to be stored or not', () => {
    const { ledger, log } = goodRun()
    ledger.acknowledged.delete('b2')
    ledger.sent.set('b3', { connection: 'b', sequence: 3 })
    expect(findViolations(ledger, log)).toEqual([])
  })

  test.for<[string, (run: Run) => void, RegExp]>([
    [
      'an acknowledged event that is not stored',
      ({ ledger, log }) => {
        log.rows.pop()
        ledger.removed.pop()
        Object.assign(log, { tail: 5, head: 5 })
      },
      /^1 acknowledged, but not stored: b2$/,
    ],
    [
      'an event that is stored twice',
      ({ ledger, log }) => {
        log.rows.push({ ...(log.rows[0] as Log['rows'][number]), position: 7, createdAt: '2027' })
        ledger.removed.push('a0')
        Object.assign(log, { tail: 7, head: 7 })
      },
      /^1 stored more than once: a0$/,
    ],
    [
      'an event that nobody sent',
      ({ ledger }) => void ledger.sent.delete('a1'),
      /^1 stored, but never sent: a1$/,
    ],
    [
      'a gap in the positions',
      ({ log }) => void Object.assign(log.rows[5] as object, { position: 7 }),
      /^position 6 is 7$/,
    ],
    [
      'an event that has no position',
      ({ log }) => void Object.assign(log.rows[5] as object, { position: null }),
      /^position 6 is missing$/,
    ],
    [
      'a tail that is ahead of the log',
      ({ log }) => void Object.assign(log, { tail: 7, head: 7 }),
      /^the tail is 7/,
    ],
    [
      'a time that falls',
      ({ log }) => void Object.assign(log.rows[3] as object, { createdAt: '2026-05-01T11:59:59.999+00:00' }),
      /^createdAt falls at position 4$/,
    ],
    [
      'a day that falls',
      ({ log }) => void Object.assign(log.rows[3] as object, { day: '2026-04-30' }),
      /^day falls at position 4$/,
    ],
    [
      "a connection's events in another order",
      ({ ledger }) => {
        ledger.sent.set('a1', { connection: 'a', sequence: 2 })
        ledger.sent.set('a2', { connection: 'a', sequence: 1 })
      },
      /^position 4 holds a's event 1 after 2$/,
    ],
    [
      'an event that was removed in place of another',
      ({ ledger }) => void ledger.removed.splice(2, 1),
      /^position 3 was removed without being read/,
    ],
    [
      'an event that was never delivered',
      ({ ledger }) => void ledger.removed.pop(),
      /^1 events were never delivered, from position 6 on$/,
    ],
    [
      'events that were delivered and are not in the log',
      ({ ledger }) => void ledger.removed.push('a0'),
      /^7 events were removed of 6 stored ones$/,
    ],
    [
      'an event that was accepted twice',
      ({ ledger }) => {
        ledger.accepted++
      },
      /^7 accepted of 6 stored$/,
    ],
    ['a queue that is not drained', ({ log }) => void Object.assign(log, { head: 4 }), /^the head is 4/],
    [
      'a removal that was refused',
      ({ ledger }) => {
        ledger.overtaken = 1
      },
      /^1 removals were refused with 409$/,
    ],
    [
      'what a client saw at once',
      ({ ledger }) => void ledger.contradictions.push('count is 2 of 1 events'),
      /^count is 2 of 1 events$/,
    ],
  ])('finds %s', ([, spoil, violation]) => {
    const run = goodRun()
    spoil(run)
    expect(findViolations(run.ledger, run.log)).toContainEqual(expect.stringMatching(violation))
  })
})
