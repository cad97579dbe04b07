import { expect } from 'vitest'
import type { Ability, RouteSite } from '../../tenancy/index.ts'
import { canaries } from './log-lines.ts'

/** What the contract tests expect of one operation. */
export interface ExpectedOperation {
  /** Where it is served (decisions, "Addresses"). */
  site: RouteSite
  /** Whose key opens it. */
  key: 'none' | 'organization' | 'platform'
  /** What that key must be able to do. */
  ability?: Ability
  /** A request that succeeds: its query, and its body with headers of its own. */
  query?: string
  payload?: Record<string, unknown>
  headers?: Record<string, string>
  /** The answer to that request, to the last header but those that every answer has. */
  status: number
  answerHeaders: Record<string, unknown>
  /** Headers that its refusals have too. */
  refusalHeaders?: Record<string, string>
  /** Why the OpenAPI document does not show it. */
  undocumented?: string
}

const length = expect.stringMatching(/^\d+$/)
const etag = expect.stringMatching(/^"[\w-]{22}"$/)
const json = { 'content-type': 'application/json', 'content-length': length }
const unstored = { 'cache-control': 'no-store' }
const cached = { 'cache-control': 'public, max-age=300', etag }
const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
}

const sdkScript = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/** An event with every field of its kind. */
export const exampleEvent = {
  type: 'sign_up',
  session_id: 'session-1',
  url: `https://news.acme.example/articles/one?${canaries.body}=1`,
  event_sequence: 3,
  occurred_at: '2026-05-01T12:00:00.000Z',
  properties: { plan: 'year', price: 12.5, trial: false, coupon: null },
}

const queue = (name: 'events' | 'heartbeats'): Record<string, ExpectedOperation> => ({
  [`GET /api/platform/${name}`]: {
    site: 'api',
    key: 'organization',
    ability: 'events:read',
    status: 200,
    answerHeaders: { ...json, ...unstored },
  },
  [`DELETE /api/platform/${name}`]: {
    site: 'api',
    key: 'organization',
    ability: 'events:delete',
    query: 'count=1',
    status: 204,
    answerHeaders: {},
  },
  [`POST /api/platform/${name}/rewind`]: {
    site: 'api',
    key: 'organization',
    ability: 'events:delete',
    payload: { to: 0 },
    status: 200,
    answerHeaders: json,
  },
})

const script = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
}
const page = {
  'content-length': length,
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
  ),
}
const reference = (
  path: string,
  answerHeaders: ExpectedOperation['answerHeaders'],
  headers: Record<string, string> = {},
) => ({
  [`GET /docs${path}`]: {
    site: 'platform',
    key: 'none',
    headers,
    status: 200,
    answerHeaders,
    undocumented: 'It is where people read the document.',
  } satisfies ExpectedOperation,
})

/** Every operation, by name. A route that is not here fails the contract tests. */
export const operations: Record<string, ExpectedOperation> = {
  'GET /livez': { site: 'any', key: 'none', status: 200, answerHeaders: { ...json, ...unstored } },
  'GET /readyz': { site: 'any', key: 'none', status: 200, answerHeaders: { ...json, ...unstored } },
  'GET /api/v1/openapi.json': {
    site: 'platform',
    key: 'none',
    status: 200,
    answerHeaders: { ...json, ...cached },
  },
  'GET /': {
    site: 'platform',
    key: 'none',
    status: 302,
    answerHeaders: { location: '/docs', 'content-length': '0' },
    undocumented: 'It leads to where people read the document.',
  },
  ...reference('', { ...page, 'content-type': 'text/html; charset=utf-8' }),
  ...reference('/', { ...page, 'content-type': 'text/html; charset=utf-8' }),
  ...reference('/start.js', { ...script, 'content-length': length }),
  ...reference(
    '/reference.js',
    { ...script, 'content-length': length, etag, vary: 'accept-encoding', 'content-encoding': 'gzip' },
    { 'accept-encoding': 'gzip' },
  ),
  'GET /api/v1/landlord/health': {
    site: 'platform',
    key: 'platform',
    status: 200,
    answerHeaders: { ...json, ...unstored },
    refusalHeaders: unstored,
  },
  'GET /api/v1/landlord/tenants': {
    site: 'platform',
    key: 'platform',
    ability: 'admin:read',
    query: 'fields[tenants]=name,slug',
    status: 200,
    answerHeaders: { ...json, 'content-type': 'application/vnd.api+json' },
  },
  'GET /api/v1/health': {
    site: 'api',
    key: 'organization',
    ability: 'health:read',
    status: 200,
    answerHeaders: { ...json, ...unstored },
    refusalHeaders: unstored,
  },
  ...queue('events'),
  ...queue('heartbeats'),
  'GET /sdk.js': {
    site: 'tenant',
    key: 'none',
    status: 200,
    answerHeaders: {
      ...sdkScript,
      etag,
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': length,
      'content-location': expect.stringMatching(/^\/sdk-[\w-]{22}\.js$/),
      vary: 'accept-encoding',
    },
  },
  // A version that is not there; sdk-script.test.ts asks for one that is.
  'GET /sdk-:hash.js': {
    site: 'tenant',
    key: 'none',
    status: 302,
    answerHeaders: {
      ...sdkScript,
      'cache-control': 'public, max-age=300',
      'content-length': '0',
      location: '/sdk.js',
    },
    undocumented: 'It is named by the Content-Location of GET /sdk.js.',
  },
  'POST /api/sdk/events': {
    site: 'tenant',
    key: 'none',
    payload: { events: [exampleEvent], sent_at: '2026-05-01T12:00:01.000Z', token: canaries.body },
    status: 202,
    answerHeaders: { ...json, ...anyOrigin },
    refusalHeaders: anyOrigin,
  },
  'OPTIONS /api/sdk/events': {
    site: 'tenant',
    key: 'none',
    status: 204,
    answerHeaders: {
      ...anyOrigin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '600',
    },
    refusalHeaders: anyOrigin,
    undocumented: 'Browsers send it by themselves.',
  },
}

/** The names of the operations that a rule holds for. */
export function operationsWhere(holds: (operation: ExpectedOperation) => boolean): string[] {
  return Object.entries(operations).flatMap(([name, operation]) => (holds(operation) ? [name] : []))
}

/** The expected operation of a name. */
export function operationOf(name: string): ExpectedOperation {
  const operation = operations[name]
  if (!operation) throw new Error(`No operation is called ${name}.`)
  return operation
}

/** Method and path of an operation's name. */
export function addressOf(name: string): { method: 'GET' | 'POST' | 'DELETE' | 'OPTIONS'; path: string } {
  const [method = '', path = ''] = name.split(' ', 2)
  return { method: method as 'GET', path }
}
