import { describe, expect, test } from 'vitest'
import { readEvents } from './read-events.ts'
import { event } from './testing/example-event.ts'
import { answerOf } from './testing/scripted-queue.ts'

async function* inChunks(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  // Copies, as they would come from a socket.
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size))
}

/** Enough for several pieces. */
const many = (more: (n: number) => object = () => ({})) =>
  Array.from({ length: 4_000 }, (_, n) => event(n, more(n)))

describe('an answer is read the same', () => {
  test.for([1_000, 4_096, 65_536, 300_000, 10_000_000])(
    'in chunks of %i bytes, whatever its texts hold',
    async size => {
      const tricky = [
        'é',
        '日本',
        '😀',
        '},{"id":"',
        '"},{"id":"x',
        '\\"},{\\"id\\":\\"',
        ']}}',
        '\u2028',
        '\u0001',
      ]
      const list = many(n => ({
        page_path: `/${tricky[n % tricky.length]}`,
        properties: { id: '},{"id":"' },
      }))
      expect(await readEvents(inChunks(answerOf(...list), size))).toEqual(list)
    },
  )

  test('byte by byte', async () => {
    const list = [event(1, { page_path: '/日本' }), event(2)]
    expect(await readEvents(inChunks(answerOf(...list), 1))).toEqual(list)
  })

  test('with records inside of records', async () => {
    const inner = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
    const list = many(() => ({ properties: { parts: inner } }))
    expect(await readEvents(inChunks(answerOf(...list), 10_000))).toEqual(list)
  })

  test('with space between, fields in another order and more of them', async () => {
    const list = many()
    const text = JSON.stringify({ data: { events: list, count: list.length, more: true }, x: 1 }, null, 1)
    expect(await readEvents(inChunks(text, 65_536))).toEqual(list)
    const tail = answerOf(...list).replace(/\}\}$/, ', "more": [1]}, "x": {} }\n')
    expect(await readEvents(inChunks(tail, 65_536))).toEqual(list)
  })

  test('when it is empty', async () => {
    expect(await readEvents(inChunks('{"data":{"count":0,"events":[]}}', 10))).toEqual([])
  })
})

describe('an answer is refused', () => {
  const whole = answerOf(...many())
  test.for([
    ['that is not JSON', 'hello'],
    ['that is another', '{"data":[]}'],
    ['that is null', 'null'],
    ['that is empty', ''],
    ['that ends early', whole.slice(0, -300)],
    ['that ends before its brackets', whole.slice(0, -1)],
    ['that goes on after its end', `${whole}x`],
    ['that lacks an event in the middle', whole.replace(`${JSON.stringify(event(2_000))},`, '')],
    ['of which a byte is lost', whole.replace('"event_sequence":1000', '"event_sequence":1000"')],
  ])('%s', async ([, text = '']) => {
    await expect(readEvents(inChunks(text, 65_536))).rejects.toThrow(SyntaxError)
  })
})
