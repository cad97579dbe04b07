import { isObject, type Json, type JsonObject } from './json.ts'
import { plainSchema } from './plain-schema.ts'

/** Gathers the schemas that have a name, their `$id`, for components.schemas. */
export interface SchemaNames {
  /** A copy of a schema in which each named schema is a reference to its component.
   *  Throws when two different schemas have one name. */
  refer(schema: unknown): JsonObject
  /** The named schema that `refer` left a reference to; undefined for any other. */
  resolve(schema: JsonObject): JsonObject | undefined
  /** The components, in the order of their names. */
  components(): JsonObject
}

const PREFIX = '#/components/schemas/'
/** Keywords whose value is data, whatever it looks like. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples'])
/** Keywords whose value has names of properties for keys. */
const maps = new Set(['properties', 'patternProperties'])

export function createSchemaNames(): SchemaNames {
  const named = new Map<string, JsonObject>()

  const each = (map: JsonObject, change: (key: string, value: Json) => Json): JsonObject =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(key, value)]))

  function convert(schema: Json): Json {
    if (Array.isArray(schema)) return schema.map(convert)
    if (!isObject(schema)) return schema
    const { $id, $ref, ...rest } = schema
    if (typeof $ref === 'string') return { $ref: $ref.startsWith('#') ? $ref : PREFIX + $ref }
    const own = plainSchema(
      each(rest, (key, value) => {
        if (data.has(key)) return value
        return maps.has(key) && isObject(value) ? each(value, (_name, one) => convert(one)) : convert(value)
      }),
    )
    return typeof $id === 'string' ? name($id, own) : own
  }

  function name(id: string, schema: JsonObject): JsonObject {
    const known = named.get(id)
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two different schemas are named ${id}.`)
    named.set(id, schema)
    return { $ref: PREFIX + id }
  }

  return {
    refer: schema => convert(schema as Json) as JsonObject,
    resolve: ({ $ref }) => (typeof $ref === 'string' ? named.get($ref.slice(PREFIX.length)) : undefined),
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
