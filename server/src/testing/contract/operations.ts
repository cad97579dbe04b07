import { expect } from 'vitest'
import type { Ability, RouteSite } from '../../tenancy/index.ts'
import { canaries } from './log-lines.ts'

/** What the contract tests expect of one operation. */
export interface ExpectedOperation {
  /** Where it is served (decisions, "Addresses"). */
  site: RouteSite
  /** Whose key opens it. */
  key: 'none' | 'organization' | 'platform'
  /** A member's token opens it: `send` signs somebody in at the host's tenant, unless it is told a credential. */
  member?: boolean
  /** What that key must be able to do. */
  ability?: Ability
  /** Whether the key's user must be an administrator: to view the tenant is not enough. */
  administrator?: boolean
  /** A request that succeeds: the parts of its path, its query, and its body with headers of its own. */
  params?: Record<string, string>
  query?: string
  payload?: Record<string, unknown>
  /** A body that is a form, with the credentials of a client in it. */
  form?: Record<string, string>
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

/** A client that acme and globe both have, and another one, which changes. */
export const contractClient = {
  client_id: 'contract',
  client_secret: 'contract-client-secret-of-32-characters-or-more',
}
export const changingClientId = 'contract-changing'

const resource = { ...json, 'content-type': 'application/vnd.api+json' }
const unstoredForm = { ...unstored, pragma: 'no-cache' }
/** A token that no key of the tenant signed. */
const unknownToken = [{ alg: 'RS256', typ: 'at+jwt', kid: canaries.body }, { sub: 'x' }]
  .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('x')
  .join('.')
const ofClient = (form: Record<string, string>, status: number): ExpectedOperation => ({
  site: 'tenant',
  key: 'none',
  form: { ...contractClient, ...form },
  status,
  answerHeaders: { ...json, ...unstoredForm },
  refusalHeaders: unstoredForm,
})
const published: ExpectedOperation = {
  site: 'tenant',
  key: 'none',
  status: 200,
  answerHeaders: { ...json, 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' },
}
const clients = (rest: Partial<ExpectedOperation>): ExpectedOperation => ({
  site: 'api',
  key: 'organization',
  ability: 'admin:read',
  status: 200,
  answerHeaders: resource,
  ...rest,
})
const changing = { ability: 'admin:write', administrator: true } as const
const ofChanging = { params: { client_id: changingClientId } }

/** Stands for a session that lives when the request is sent. */
export const liveSession = '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6b'
const ofMember = (rest: Partial<ExpectedOperation>): ExpectedOperation => ({
  site: 'tenant',
  key: 'none',
  member: true,
  status: 200,
  answerHeaders: { ...json, ...anyOrigin, ...unstored },
  refusalHeaders: { ...anyOrigin, ...unstored },
  ...rest,
})
const memberPreflight = (method: string, params?: Record<string, string>): ExpectedOperation => ({
  site: 'tenant',
  key: 'none',
  ...(params && { params }),
  status: 204,
  answerHeaders: {
    ...anyOrigin,
    ...unstored,
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'Authorization, Content-Type',
    'access-control-max-age': '600',
  },
  refusalHeaders: { ...anyOrigin, ...unstored },
  undocumented: 'Browsers send it by themselves.',
})

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
  'GET /api/v1/oauth-clients': clients({}),
  'POST /api/v1/oauth-clients': clients({
    ...changing,
    payload: {
      data: {
        type: 'oauth-clients',
        attributes: {
          name: 'Shop',
          redirect_uris: ['https://shop.example/callback'],
          allowed_origins: ['https://shop.example'],
          pkce_required: true,
          enabled: true,
        },
      },
    },
    status: 201,
    answerHeaders: {
      ...resource,
      ...unstored,
      location: expect.stringMatching(/^\/api\/v1\/oauth-clients\/[0-9a-f]{24}$/),
    },
  }),
  'GET /api/v1/oauth-clients/:client_id': clients(ofChanging),
  'PATCH /api/v1/oauth-clients/:client_id': clients({
    ...changing,
    ...ofChanging,
    payload: { data: { type: 'oauth-clients', attributes: { name: 'Shop' } } },
  }),
  'POST /api/v1/oauth-clients/:client_id/secret': clients({
    ...changing,
    ...ofChanging,
    answerHeaders: { ...resource, ...unstored },
  }),
  // A code is good once, so this one is not; token.routes.test.ts has some that are.
  'POST /oauth/token': ofClient(
    { grant_type: 'authorization_code', code: canaries.body, redirect_uri: 'https://shop.example/callback' },
    400,
  ),
  'POST /oauth/revoke': ofClient({ token: unknownToken }, 200),
  'POST /oauth/introspect': ofClient({ token: unknownToken }, 200),
  'GET /.well-known/openid-configuration': published,
  'GET /.well-known/oauth-authorization-server': published,
  'GET /.well-known/jwks.json': published,
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
  'GET /api/sdk/member': ofMember({}),
  'OPTIONS /api/sdk/member': memberPreflight('GET'),
  'GET /api/sdk/member/sessions': ofMember({}),
  'OPTIONS /api/sdk/member/sessions': memberPreflight('GET'),
  'DELETE /api/sdk/member/sessions/:session_id': ofMember({
    params: { session_id: liveSession },
    status: 204,
    answerHeaders: { ...anyOrigin, ...unstored },
  }),
  'OPTIONS /api/sdk/member/sessions/:session_id': memberPreflight('DELETE', { session_id: liveSession }),
  'POST /api/sdk/sign-out': ofMember({ status: 204, answerHeaders: { ...anyOrigin, ...unstored } }),
  'OPTIONS /api/sdk/sign-out': memberPreflight('POST'),
  'GET /api/v1/member-sessions': {
    site: 'api',
    key: 'organization',
    ability: 'admin:read',
    query: `filter[member]=${liveSession}`,
    status: 200,
    answerHeaders: { ...resource, ...unstored },
  },
  'DELETE /api/v1/member-sessions/:session_id': {
    site: 'api',
    key: 'organization',
    ...changing,
    params: { session_id: liveSession },
    status: 204,
    answerHeaders: {},
  },
}

/** Pages and forms that need what a browser carries from one to the next: no single request of theirs succeeds, so the
 *  tests of their own room ask of them what the contract tests ask of operations. By the folder of those tests. */
export const pages: Record<string, readonly string[]> = {
  'server/src/oauth': ['GET /oauth/authorize'],
  'server/src/sign-in': [
    'GET /account',
    'POST /account/sessions/end',
    'POST /account/sign-out',
    'GET /dev/mailbox',
    'GET /dev/mailbox.json',
    'GET /sign-in/:flow',
    'POST /sign-in/:flow',
    'POST /sign-in/:flow/code',
    'POST /sign-in/:flow/continue',
    'GET /sign-in/:flow/mail',
    'GET /sign-in/link/:token',
    'POST /sign-in/link/:token',
    'GET /signed-out',
  ],
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

/** Method and path of an operation's name, with the parts of the path filled in; others than those of its good request
 *  where told. */
export function addressOf(
  name: string,
  params = operations[name]?.params ?? {},
): { method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS'; path: string } {
  const [method = '', path = ''] = name.split(' ', 2)
  const filled = path.replace(/:(\w+)/g, (whole, part: string) => params[part] ?? whole)
  return { method: method as 'GET', path: filled }
}

/** The body of an operation's good request, and the header that says what it is. */
export function bodyOf(name: string): {
  payload?: Record<string, unknown> | string
  headers: Record<string, string>
} {
  const { payload, form } = operationOf(name)
  if (payload) return { payload, headers: {} }
  if (!form) return { headers: {} }
  return {
    payload: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}
