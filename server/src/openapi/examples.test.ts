import { readFile } from 'node:fs/promises'
import Schema from 'typebox/schema'
import { describe, expect, test } from 'vitest'
import { documentPath } from './committed-document.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

const document: JsonObject = JSON.parse(await readFile(documentPath, 'utf8'))

interface Example {
  at: string
  schema: JsonObject
  value: Json
}

/** Every example of the document with the schema that it stands beside, in whatever object that is. */
function examplesIn(node: Json, at: string): Example[] {
  if (Array.isArray(node)) return node.flatMap((member, index) => examplesIn(member, `${at}/${index}`))
  if (!isObject(node)) return []
  const { example, examples, ...rest } = node
  // Beside a schema, in a parameter, a header or a body; else in the schema itself.
  const schema = isObject(node.schema) ? node.schema : rest
  const values: Json[] = []
  if (example !== undefined) values.push(example)
  if (Array.isArray(examples)) values.push(...examples)
  else if (isObject(examples))
    for (const { value } of Object.values(examples).filter(isObject)) values.push(value ?? null)
  return [
    ...values.map((value, index) => ({ at: `${at} ${index + 1}`, schema, value })),
    ...Object.entries(rest).flatMap(([key, member]) => examplesIn(member, `${at}/${key}`)),
  ]
}

/** What is wrong with a value, in the words of the validator; empty when nothing is. */
function faults({ schema, value }: Example): string[] {
  // References lead to the components, which a schema on its own does not have.
  const validator = Schema.Compile({ ...schema, components: document.components as JsonObject })
  if (validator.Check(value)) return []
  return validator.Errors(value)[1].map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const examples = examplesIn(document, '')

describe('each example of the description', () => {
  test('is looked at', () => {
    expect(examples.length).toBeGreaterThan(80)
  })

  test.each(examples)('is one of its schema: $at', example => {
    expect(faults(example)).toEqual([])
  })

  test.each([
    ['a type', { schema: { type: 'string' }, value: 1 }],
    ['a reference', { schema: { $ref: '#/components/schemas/Error' }, value: { errors: {} } }],
    ['a format', { schema: { type: 'string', format: 'date-time' }, value: 'yesterday' }],
    ['a reference that leads nowhere', { schema: { $ref: '#/components/schemas/Nobody' }, value: {} }],
  ])('would be told if it were wrong by %s', (_name, wrong) => {
    expect(faults({ at: '', ...wrong })).not.toEqual([])
  })
})
