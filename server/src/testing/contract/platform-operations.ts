import { expect } from 'vitest'
import { cached, type ExpectedOperation, etag, json, length, unstored } from './expected-operation.ts'

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

/** Operations of the platform: its health, its description, its tenants. */
export const platformOperations: Record<string, ExpectedOperation> = {
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
}
