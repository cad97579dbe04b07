import { isObject, type JsonObject } from './json.ts'

/** Says a schema the way people and generators of clients read it best. It admits the same values as before. */
export function plainSchema(schema: JsonObject): JsonObject {
  return asSentence(asRecord(asContent(asEnum(asNullable(schema)))))
}

/** `string or null` as one type in place of a choice of two. */
function asNullable(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [first, second] = anyOf
  if (!isObject(first) || !isObject(second) || second.type !== 'null') return schema
  // What these say holds for null too, or is a name.
  if (typeof first.type !== 'string' || 'const' in first || 'enum' in first) return schema
  return { ...first, ...rest, type: [first.type, 'null'] }
}

/** A choice of words as an enum. */
function asEnum(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  const words = Array.isArray(anyOf) ? anyOf.map(one => isObject(one) && (one.const ?? false)) : schema.enum
  if (!Array.isArray(words) || !words.every(word => typeof word === 'string')) return schema
  return { ...rest, type: 'string', enum: words }
}

/** A query carries text, so a route checks digits by a pattern; `contentSchema` says what they stand for. */
function asContent(schema: JsonObject): JsonObject {
  const { contentMediaType, contentSchema, pattern, ...rest } = schema
  return contentMediaType === 'application/json' && isObject(contentSchema)
    ? { ...rest, ...contentSchema }
    : schema
}

/** A record with any names by the keyword that everybody knows. */
function asRecord(schema: JsonObject): JsonObject {
  const { patternProperties, ...rest } = schema
  const [[pattern, values] = [], ...more] = Object.entries(
    isObject(patternProperties) ? patternProperties : {},
  )
  if (pattern !== '^.*$' || values === undefined || more.length > 0) return schema
  return { ...rest, additionalProperties: values }
}

/** Descriptions that complete "<name> must be …" in an error stand alone here. */
function asSentence(schema: JsonObject): JsonObject {
  const { description } = schema
  if (typeof description !== 'string' || !/^(?:an? |[0-9])/.test(description)) return schema
  const sentence = description.charAt(0).toUpperCase() + description.slice(1)
  return { ...schema, description: sentence.endsWith('.') ? sentence : `${sentence}.` }
}
