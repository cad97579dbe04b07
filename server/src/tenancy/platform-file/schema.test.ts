import { readFile } from 'node:fs/promises'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkMeaning } from './check-meaning.ts'
import { checkStructure } from './check-structure.ts'
import { readPlatformFile } from './read-platform-file.ts'
import { platformJsonSchema } from './schema.ts'

const ROOT = new URL('../../../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8')

describe('the JSON Schema of the platform file', () => {
  test('is committed as the program has it: else run "npx usher schema > schema/platform.schema.json"', async () => {
    expect(JSON.parse(await read('schema/platform.schema.json'))).toEqual(platformJsonSchema())
  })

  test('lets an editor accept the example as it is written, with its names of variables', async () => {
    expect([...Value.Errors(platformJsonSchema(), parse(await read('examples/platform.yaml')))]).toEqual([])
  })

  test.for([
    [{ tenants: [{ slug: 'a', name: 'A', domain: 'a.example/' }] }],
    [{ tenants: [{ slug: 'a', name: 'A', domain: 'a.example', color: 'red' }] }],
    [{ platform_keys: [{ name: 'k', token: 'short' }] }],
  ])('lets an editor mark what is refused: %j', ([file]) => {
    expect([...Value.Errors(platformJsonSchema(), file)]).not.toEqual([])
  })
})

describe('examples/platform.yaml', () => {
  test('names its JSON Schema in its first line', async () => {
    const [first = ''] = (await read('examples/platform.yaml')).split('\n')
    const path = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? ''
    const schema = await readFile(new URL(path, new URL('examples/', ROOT)), 'utf8')
    expect(JSON.parse(schema)).toHaveProperty('title', "Usher's platform file")
  })

  test('is accepted', async () => {
    const env = { MONITOR_TOKEN: 'm'.repeat(32), CONSUMER_TOKEN: 'c'.repeat(32) }
    const file = readPlatformFile(await read('examples/platform.yaml'), env)
    if ('faults' in file) throw new Error(JSON.stringify(file.faults))
    expect(file.problems).toEqual([])
    expect(checkStructure(file.value)).toEqual([])
    expect(checkMeaning(file.value, 'platform.localhost')).toEqual([])
  })
})
