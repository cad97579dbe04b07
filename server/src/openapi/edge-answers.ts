import type { FastifySchema, RouteOptions } from 'fastify'
import { isObject, type Json } from './json.ts'

/** An error that a route can answer without its own doing. */
export interface EdgeAnswer {
  description: string
  /** The message of the documented example. */
  message: string
  /** The field of the example that the message is about. */
  field?: string
}

export type Answers = Record<number, EdgeAnswer>

const databaseAway: Answers = {
  503: {
    description: 'The database cannot be reached. Nothing was done.',
    message: 'The database cannot be reached. Try again shortly.',
  },
}
const unexpected: Answers = {
  500: {
    description: 'Something went wrong here. The log tells more under the id of the request.',
    message: "Something went wrong here. The request's id is q4Wp0VbX9tE-1a.",
  },
}
const noTenant = 'No tenant answers at this host.'
const suspended = 'This tenant is suspended. Ask the operator of the platform.'
const keyMissing = 'Send an API key as "Authorization: Bearer <key>".'
const lacks = (ability: string) => `This API key lacks the ability ${ability}.`

function platformAnswers({ operator, ability, health }: NonNullable<RouteOptions['config']>): Answers {
  const elsewhere: Answers = {
    404: {
      description: 'The request was sent to another host than the platform.',
      message: 'There is nothing at this address.',
    },
  }
  if (!operator) return elsewhere
  return {
    ...elsewhere,
    401: {
      description: 'The request has no valid platform key. The keys of organizations are none.',
      message: keyMissing,
    },
    ...(ability && {
      403: { description: `The key lacks the ability \`${ability}\`.`, message: lacks(ability) },
    }),
    ...(!health && databaseAway),
  }
}

function apiAnswers({ ability, health }: NonNullable<RouteOptions['config']>): Answers {
  return {
    401: { description: 'The request has no valid API key.', message: keyMissing },
    403: {
      description: `The key lacks the ability \`${ability}\`, its user may not view the tenant, or the tenant is suspended.`,
      message: lacks(String(ability)),
    },
    404: { description: noTenant, message: noTenant },
    422: {
      description: "A platform key names no tenant, and the platform's host does not either.",
      message: "A platform key names no tenant. Send the request to the tenant's domain.",
    },
    ...(!health && databaseAway),
  }
}

function tenantAnswers(isRead: boolean, member = false): Answers {
  return {
    ...(member && {
      401: {
        description: "The request has no member's token that is good now.",
        message: 'Send a member\'s token as "Authorization: Bearer <token>".',
      },
    }),
    403: { description: 'The tenant is suspended.', message: suspended },
    404: { description: noTenant, message: noTenant },
    // A read is redirected instead.
    ...(!isRead && {
      421: {
        description: "The host is an alias. The message names the tenant's domain.",
        message: 'This host is an alias. Send the request to https://members.acme.example.',
      },
    }),
    ...databaseAway,
  }
}

const bodyAnswers: Answers = {
  400: { description: 'The body is not valid JSON.', message: 'The body is not valid JSON.' },
  413: {
    description: 'The body is too large.',
    message: 'The body is larger than this route takes. Send less at a time.',
  },
  415: {
    description: 'The body is of a media type that is not taken here.',
    message: 'Send the body as application/json.',
  },
}

/** A form is read by the route itself, which refuses other bodies in words of its own. */
function bodyAnswersOf({ consumes }: FastifySchema): Answers {
  const { 413: tooLarge, ...others } = bodyAnswers
  const isForm = consumes?.includes('application/x-www-form-urlencoded')
  return { ...(tooLarge && { 413: tooLarge }), ...(!isForm && others) }
}

/** The refusal of input that its schema does not admit; undefined where a route's own code checks it. */
function inputAnswer({ schema, validatorCompiler }: RouteOptions): EdgeAnswer | undefined {
  const inputs = [schema?.params, schema?.querystring, schema?.headers, schema?.body] as (Json | undefined)[]
  const input = inputs.find(isObject)
  if (validatorCompiler || !input || !isObject(input.properties)) return undefined
  const required = Array.isArray(input.required) ? input.required : []
  const [field, expected] = Object.entries(input.properties)[0] ?? ['', null]
  const meaning = isObject(expected) ? expected.description : undefined
  return {
    description: 'A value is missing or not valid; `errors` names each.',
    message: required.includes(field)
      ? `${field} is missing${meaning === undefined ? '' : `: it must be ${meaning}`}.`
      : `${field} must be ${meaning}.`,
    field,
  }
}

/** What the edge and the parsers answer in place of a route, by the route's configuration; all of it is
 *  `{message, errors?}` (decisions, "Addresses" and "Answers"). A redirect of aliases is not among it. */
export function edgeAnswers(route: RouteOptions): Answers {
  const { config = {}, method, schema } = route
  const site = config.site ?? 'platform'
  const answers: Answers = {
    // What is served anywhere stands on nothing that could fail.
    ...(site !== 'any' && unexpected),
    ...(schema?.body ? bodyAnswersOf(schema) : {}),
    ...(site === 'platform' && platformAnswers(config)),
    ...(site === 'api' && apiAnswers(config)),
    ...(site === 'tenant' && tenantAnswers(method === 'GET', config.member)),
  }
  const input = inputAnswer(route)
  if (!input) return answers
  const other = answers[422] ? ` Or: ${answers[422].description}` : ''
  return { ...answers, 422: { ...input, description: input.description + other } }
}
