import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../docs/adr')
const records = readdirSync(folder).filter(name => /^\d/.test(name))

describe('the decision records', () => {
  test('are numbered from 0001, without a gap or a number taken twice', () => {
    const numbers = records.map(name => name.slice(0, 5)).sort()
    expect(numbers).toEqual(numbers.map((_, index) => `${String(index + 1).padStart(4, '0')}-`))
  })

  test('are all in the index', () => {
    const index = readFileSync(join(folder, 'README.md'), 'utf8')
    const linked = [...index.matchAll(/\]\((\d{4}-[^)]+\.md)\)/g)].map(([, name]) => name)
    expect(linked).toEqual(records.toSorted())
  })

  test.for(records)('%s has the four parts', name => {
    const parts = [...readFileSync(join(folder, name), 'utf8').matchAll(/^## (.+)$/gm)].map(
      ([, part]) => part,
    )
    expect(parts).toEqual(['Context', 'Decision', 'Measured', 'Consequences'])
  })
})
