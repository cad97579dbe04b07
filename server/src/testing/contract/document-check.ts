import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import Schema from 'typebox/schema'

interface Written {
  paths: Record<string, Record<string, { responses: Record<string, WrittenAnswer> }>>
  components: object
}
interface WrittenAnswer {
  headers?: Record<string, unknown>
  content?: Record<string, { schema?: object }>
}
interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): [boolean, { instancePath: string; message: string }[]]
}

/** Gives what is wrong with an answer to an operation in the words of the OpenAPI document: its status, its media
 *  type, its body and the headers that the document promises. Nothing for an operation that it does not show. */
export function documentCheck(
  app: FastifyInstance,
): (name: string, answer: LightMyRequestResponse) => string[] {
  const document: Written = JSON.parse(JSON.stringify(app.swagger()))
  const validators = new Map<object, Validator>()
  const validatorOf = (schema: object): Validator => {
    const known = validators.get(schema)
    if (known) return known
    // References lead to the components, which a schema on its own does not have.
    const made = Schema.Compile({ ...schema, components: document.components }) as Validator
    validators.set(schema, made)
    return made
  }

  return (name, answer) => {
    const [method = '', path = ''] = name.split(' ', 2)
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    if (!operation) return []
    const written = operation.responses[answer.statusCode]
    if (!written) return [`status ${answer.statusCode} is not described`]
    const missing = Object.keys(written.headers ?? {}).filter(
      header => !(header.toLowerCase() in answer.headers),
    )
    const faults = missing.map(header => `has no header ${header}`)

    const [type] = String(answer.headers['content-type'] ?? '').split(';')
    const types = Object.keys(written.content ?? {})
    if (types.length === 0) return [...faults, ...(answer.body === '' ? [] : ['has a body'])]
    const schema = written.content?.[type ?? '']?.schema
    if (!schema) return [...faults, `is ${type}, not ${types.join(' or ')}`]
    if (!type?.includes('json')) return faults
    const value: unknown = answer.json()
    const validator = validatorOf(schema)
    if (validator.Check(value)) return faults
    const [, errors] = validator.Errors(value)
    return [...faults, ...errors.map(({ instancePath, message }) => `${instancePath} ${message}`)]
  }
}
