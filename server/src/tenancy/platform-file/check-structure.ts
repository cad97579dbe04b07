import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import type { Path, Problem } from './problems.ts'
import { PlatformFile } from './schema.ts'
import { formWords } from './text-forms.ts'

const KINDS: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a set of fields',
}

function pathOf(pointer: string, root: unknown): Path {
  let value = root
  return pointer
    .split('/')
    .slice(1)
    .map(step => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      const inList = Array.isArray(value)
      value = (value as Record<string, unknown> | undefined)?.[name]
      return inList ? Number(name) : name
    })
}

/** Whether the field that this part of the schema describes has to be there. */
function isRequired(schemaPath: string): boolean {
  const steps = schemaPath.split('/').slice(1)
  const name = steps.at(-1)
  // Without the two steps that lead from a set of fields to one of them.
  const owner = steps
    .slice(0, -2)
    .reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], PlatformFile)
  return name !== undefined && Boolean((owner as { required?: string[] }).required?.includes(name))
}

function problemsOf(error: TLocalizedValidationError, root: unknown): Problem[] {
  const path = pathOf(error.instancePath, root)
  const one = (message: string): Problem[] => [{ path, message }]
  switch (error.keyword) {
    // Says of each unknown field what additionalProperties says of all.
    case 'boolean':
      return []
    case 'additionalProperties':
      return error.params.additionalProperties.map(name => ({
        path: [...path, name],
        message: 'is an unknown field; remove it or correct its name',
      }))
    case 'required':
      return error.params.requiredProperties.map(name => ({ path, message: `needs the field ${name}` }))
    case 'type': {
      const kind = String(error.params.type)
      return one(`must be ${KINDS[kind] ?? kind}`)
    }
    case 'enum':
      return one(`must be one of ${error.params.allowedValues.join(', ')}`)
    case 'pattern':
      return one(formWords.get(String(error.params.pattern)) ?? error.message)
    case 'minimum':
    case 'maximum':
      return one(`must be ${error.keyword === 'minimum' ? 'at least' : 'at most'} ${error.params.limit}`)
    case 'minItems':
      return one(
        isRequired(error.schemaPath)
          ? 'must have at least one entry'
          : 'must not be empty; leave it out instead',
      )
    default:
      return one(error.message)
  }
}

/** What in a file does not have the form of a platform file: all of it, not the first few. */
export function checkStructure(value: unknown): Problem[] {
  const { maxErrors } = Settings.Get()
  // TypeBox stops at a number of errors that is set for the whole program.
  Settings.Set({ maxErrors: Number.MAX_SAFE_INTEGER })
  try {
    return Value.Errors(PlatformFile, value).flatMap(error => problemsOf(error, value))
  } finally {
    Settings.Set({ maxErrors })
  }
}
