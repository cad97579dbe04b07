import { isObject, type Json, type JsonObject } from './json.ts'
import type { SchemaNames } from './schema-names.ts'

const headers: JsonObject = {
  RequestId: {
    description: 'The id of the request, as the log has it.',
    schema: { type: 'string' },
    example: 'q4Wp0VbX9tE-1a',
  },
  RetryAfter: {
    description: 'In how many seconds to try again.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  Challenge: { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
  Location: { description: 'Where it is instead.', schema: { type: 'string', format: 'uri' } },
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

/** What every route would have to repeat: headers of answers, an example beside each body, and one order of
 *  everything, so that the document changes only when the API does. */
export function completeDocument(document: JsonObject, names: SchemaNames): JsonObject {
  const { openapi, info, servers, tags, paths, components, ...rest } = document
  const sorted = Object.entries(paths as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [, path] of sorted)
    for (const operation of Object.values(path as JsonObject))
      completeOperation(operation as JsonObject, names)
  return {
    ...{ openapi, info, servers, tags },
    paths: Object.fromEntries(sorted),
    components: { ...(components as JsonObject), headers, schemas: names.components() },
    ...rest,
  } as JsonObject
}

function completeOperation(operation: JsonObject, names: SchemaNames): void {
  const { parameters, requestBody, responses } = operation
  for (const parameter of Array.isArray(parameters) ? parameters.filter(isObject) : [])
    if (parameter.in === 'header') parameter.name = String(parameter.name).replace(/\b[a-z]/g, upperCase)
  if (isObject(requestBody)) addExamples(requestBody, names)
  for (const [status, response] of Object.entries(responses as JsonObject)) {
    if (!isObject(response)) continue
    addExamples(response, names)
    response.headers = { ...headersOf(status, response), ...(response.headers as JsonObject) }
  }
}

const upperCase = (letter: string): string => letter.toUpperCase()

function headersOf(status: string, response: JsonObject): JsonObject {
  const refusal = JSON.stringify(response.content ?? '').includes('#/components/schemas/Error"')
  return {
    'X-Request-Id': header('RequestId'),
    ...(status === '302' && { Location: header('Location') }),
    ...(status === '401' && { 'WWW-Authenticate': header('Challenge') }),
    // Reports of health are no refusals: they come with 503, and when to ask again is the monitor's to know.
    ...((status === '429' || status === '503') && refusal && { 'Retry-After': header('RetryAfter') }),
  }
}

/** Shows the examples of a named schema beside each body that has none of its own. */
function addExamples({ content }: JsonObject, names: SchemaNames): void {
  for (const media of Object.values((content ?? {}) as JsonObject)) {
    if (!isObject(media) || 'example' in media || 'examples' in media || !isObject(media.schema)) continue
    const { examples } = names.resolve(media.schema) ?? media.schema
    if (Array.isArray(examples)) Object.assign(media, asExamples(examples))
  }
}

const asExamples = (examples: Json[]): JsonObject =>
  examples.length > 1
    ? { examples: Object.fromEntries(examples.map((value, index) => [`Example ${index + 1}`, { value }])) }
    : { example: examples[0] ?? null }
