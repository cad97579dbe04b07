import { ErrorBody } from '@usher/contract'
import type { FastifySchema, RouteOptions } from 'fastify'
import { type EdgeAnswer, edgeAnswers } from './edge-answers.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { SchemaNames } from './schema-names.ts'
import type { Servers } from './servers.ts'

const JSON_TYPE = 'application/json'
/** A tenant's page or script that is asked for at an alias. */
const REDIRECT = {
  type: 'null',
  description: "The host is an alias. `Location` is the same address at the tenant's domain.",
}

/** What a route's schema says, together with what its configuration implies: the answers of the edge, the key that
 *  it needs, and where it is served. In the form that @fastify/swagger takes over as it is. */
export function describeOperation(route: RouteOptions, names: SchemaNames, servers: Servers): FastifySchema {
  const schema: FastifySchema = route.schema ?? {}
  const { site = 'platform', ability, operator, member } = route.config ?? {}
  const described: JsonObject = {
    ...(schema as JsonObject),
    description: [schema.description, neededKey(operator, ability)].filter(Boolean).join(' '),
    // OpenAPI 3.1 lets a bearer scheme list the roles that a token needs.
    security: [
      ...(operator || ability ? [{ bearer: ability ? [ability] : [] }] : []),
      ...(member ? [{ member: [] }] : []),
    ],
    response: describeAnswers(route, names),
  }
  const servedAt = servers.of(site)
  if (servedAt) described.servers = servedAt
  for (const part of ['querystring', 'headers', 'params'] as const)
    if (schema[part]) described[part] = names.refer(schema[part])
  if (schema.body) {
    const content = { schema: names.refer(schema.body) }
    const types = schema.consumes ?? [JSON_TYPE]
    described.body = { content: Object.fromEntries(types.map(type => [type, content])) }
  }
  return described
}

function neededKey(operator: boolean | undefined, ability: string | undefined): string {
  if (!operator && !ability) return ''
  const key = operator ? 'a platform key of a super admin' : 'an API key'
  return `Needs ${key}${ability ? ` with the ability \`${ability}\`` : ''}.`
}

function describeAnswers(route: RouteOptions, names: SchemaNames): JsonObject {
  const implied = edgeAnswers(route)
  const declared = { ...(route.schema?.response as Record<string, JsonObject> | undefined) }
  if (route.config?.site === 'tenant' && route.method === 'GET') declared[302] ??= REDIRECT
  for (const status of Object.keys(implied)) declared[status] ??= ErrorBody as unknown as JsonObject
  return Object.fromEntries(
    Object.entries(declared).map(([status, answer]) => {
      const types = Number(status) < 300 ? (route.schema?.produces ?? [JSON_TYPE]) : [JSON_TYPE]
      return [status, describeAnswer(answer, types, implied[Number(status)], names)]
    }),
  )
}

/** One answer, from a schema, or from `{description, content}` where a route says more. */
function describeAnswer(
  answer: JsonObject,
  types: readonly string[],
  implied: EdgeAnswer | undefined,
  names: SchemaNames,
): JsonObject {
  if (answer.type === 'null') return answer
  if (isObject(answer.content)) {
    const content = Object.entries(answer.content).map(([type, media]): [string, Json] => {
      if (!isObject(media)) return [type, media]
      return [type, { ...media, schema: names.refer(media.schema) }]
    })
    return { ...answer, content: Object.fromEntries(content) }
  }
  const schema = names.refer(answer)
  const isError = answer === (ErrorBody as unknown)
  const description = (isError && implied?.description) || describe(answer) || describe(names.resolve(schema))
  const media = { schema, ...(isError && implied && { example: exampleOf(implied) }) }
  return {
    ...(description && { description }),
    content: Object.fromEntries(types.map(type => [type, media])),
  }
}

const describe = (schema: JsonObject | undefined): string =>
  typeof schema?.description === 'string' ? schema.description : ''

const exampleOf = ({ message, field }: EdgeAnswer): JsonObject =>
  field === undefined ? { message } : { message, errors: { [field]: [message] } }
