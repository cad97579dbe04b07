import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEventFile } from './event-file.ts'
import type { EventRecord } from './event-record.ts'
import { event } from './testing/example-event.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-event-file-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
const newPath = () => join(folder, `${++files}.ndjson`)
const many = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => event(from + n))
const linesOf = (list: EventRecord[]) => list.map(one => `${JSON.stringify(one)}\n`).join('')

async function append(path: string, list: EventRecord[]): Promise<number> {
  const file = await openEventFile(path)
  try {
    return await file.append(list)
  } finally {
    await file.close()
  }
}

describe('an event file', () => {
  test('holds one event a line, and those of earlier times', async () => {
    const path = newPath()
    expect(await append(path, many(1, 2_500))).toBe(2_500)
    expect(await append(path, many(2_501, 2_502))).toBe(2)
    expect(await readFile(path, 'utf8')).toBe(linesOf(many(1, 2_502)))
    // Events hold addresses of people.
    expect((await stat(path)).mode & 0o077).toBe(0)
  })

  test('does not take the events again that were written and then not removed', async () => {
    const path = newPath()
    await append(path, many(1, 25_000))
    expect(await append(path, many(15_001, 25_003))).toBe(3)
    expect(await readFile(path, 'utf8')).toBe(linesOf(many(1, 25_003)))
  })

  test('does not take them again in one go, or from several smaller reads', async () => {
    const path = newPath()
    const file = await openEventFile(path)
    await file.append(many(1, 10_000))
    expect(await file.append(many(1, 6_000))).toBe(0)
    expect(await file.append(many(6_001, 10_010))).toBe(10)
    await file.close()
    expect(await readFile(path, 'utf8')).toBe(linesOf(many(1, 10_010)))
  })

  test('takes events again that are further back, as after a rewind', async () => {
    const path = newPath()
    await append(path, many(1, 20_000))
    expect(await append(path, many(1, 10_000))).toBe(10_000)
  })

  test.for([
    ['in the middle of a line', linesOf(many(1, 3)).slice(0, -100), 2],
    ['before a line end', linesOf(many(1, 3)).slice(0, -1), 2],
    ['in the first line', '{"id":"018', 0],
    ['after the first byte', '{', 0],
    ['after a line end', linesOf(many(1, 2)), 2],
    ['before the first byte', '', 0],
  ] as const)('that a kill left %s is cut there and goes on', async ([, left, whole]) => {
    const path = newPath()
    await writeFile(path, left)
    expect(await append(path, many(1, 4))).toBe(4 - whole)
    expect(await readFile(path, 'utf8')).toBe(linesOf(many(1, 4)))
  })

  test.for(['# Notes', '# Notes\nof mine\n', '{"a":1}\n'])(
    'is not made of something else: %j',
    async text => {
      const path = newPath()
      await writeFile(path, text)
      await expect(openEventFile(path)).rejects.toThrow('holds something else than events')
      expect(await readFile(path, 'utf8')).toBe(text)
    },
  )

  test('is not a folder or a device', async () => {
    await expect(openEventFile(folder)).rejects.toThrow()
    await expect(openEventFile('/dev/null')).rejects.toThrow('/dev/null is not a file')
  })

  test('belongs to one process at a time', async () => {
    const path = newPath()
    const file = await openEventFile(path)
    await file.append([event(1)])
    await appendFile(path, linesOf([event(2)]))
    await expect(file.append([event(3)])).rejects.toThrow('another process writes to it')
    await file.close()
    expect(await readFile(path, 'utf8')).toBe(linesOf([event(1), event(2)]))
  })
})
