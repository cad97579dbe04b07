import { expect, test } from 'vitest'
import { JoinedRecords } from './joined-records.ts'

test.for([
  ['no record', []],
  ['one record', ['{"a":1}']],
  ['records of a few bytes', ['1', '22', '333']],
  ['texts beyond ASCII', ['"é"', '"😀"']],
  ['a record larger than a slab, between small ones', ['1', `"${'x'.repeat(300_000)}"`, '3']],
  ['many records over several slabs', Array.from({ length: 3_000 }, (_, n) => `"${String(n).repeat(100)}"`)],
  ['records that fill a slab to the byte', [`"${'x'.repeat(131_069)}"`, `"${'y'.repeat(131_069)}"`, '3']],
] as const)('puts commas between %s', ([, records]) => {
  const joined = new JoinedRecords('[')
  for (const record of records) joined.add(Buffer.from(record))
  expect(joined.count).toBe(records.length)
  expect(Buffer.concat(joined.end(']')).toString() === `[${records.join()}]`).toBe(true)
})

test('keeps what was added when its memory is used again', () => {
  const record = Buffer.from('"a"')
  const joined = new JoinedRecords('')
  joined.add(record)
  record.fill('x')
  joined.add(record)
  expect(Buffer.concat(joined.end('')).toString()).toBe('"a",xxx')
})
