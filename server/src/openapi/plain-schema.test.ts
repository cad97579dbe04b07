import { describe, expect, test } from 'vitest'
import type { JsonObject } from './json.ts'
import { plainSchema } from './plain-schema.ts'

const integerOrNull = [{ type: 'integer', minimum: 0 }, { type: 'null' }]

describe('a schema in plain words', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'one of two types, null among them',
      { anyOf: integerOrNull, description: 'Depth.' },
      { type: ['integer', 'null'], minimum: 0, description: 'Depth.' },
    ],
    [
      'a choice of words',
      { anyOf: [{ const: 'ok' }, { const: 'degraded' }] },
      { type: 'string', enum: ['ok', 'degraded'] },
    ],
    ['words without a type', { enum: ['name'] }, { type: 'string', enum: ['name'] }],
    [
      'a record',
      { type: 'object', patternProperties: { '^.*$': { type: 'string' } } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    [
      'text that stands for an integer',
      {
        type: 'string',
        pattern: '^[1-9]$',
        contentMediaType: 'application/json',
        contentSchema: { type: 'integer' },
      },
      { type: 'integer' },
    ],
    [
      'what completes "must be …"',
      { description: 'an integer from 0' },
      { description: 'An integer from 0.' },
    ],
  ])('%s', (_name, schema, plain) => {
    expect(plainSchema(schema)).toEqual(plain)
  })

  test.each<[string, JsonObject]>([
    [
      'a constant or null, as null would not be that constant',
      { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
    ],
    ['a name or null', { anyOf: [{ $ref: '#/components/schemas/Tenant' }, { type: 'null' }] }],
    ['three types', { anyOf: [...integerOrNull, { type: 'string' }] }],
    ['words and a number', { anyOf: [{ const: 'ok' }, { const: 1 }] }],
    ['a record with some names', { patternProperties: { '^x-': { type: 'string' } } }],
    ['a name at the beginning', { description: 'page_view, heartbeat or a name' }],
  ])('leaves %s', (_name, schema) => {
    expect(plainSchema(schema)).toEqual(schema)
  })
})
