import { expect } from 'vitest'
import { changing, type ExpectedOperation, json, resource, unstored } from './expected-operation.ts'
import { canaries } from './log-lines.ts'
import { memberPreflight, ofMember } from './member-operations.ts'

/** A client that acme and globe both have, and another one, which changes. */
export const contractClient = {
  client_id: 'contract',
  client_secret: 'contract-client-secret-of-32-characters-or-more',
}
/** One that it may ask from. */
export const contractOrigin = 'https://shop.example'
const allowedOrigin = {
  'access-control-allow-origin': contractOrigin,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
}
export const changingClientId = 'contract-changing'

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
const ofChanging = { params: { client_id: changingClientId } }

/** Operations of OAuth clients, and of what they call. */
export const oauthOperations: Record<string, ExpectedOperation> = {
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
  'GET /oauth/userinfo': ofMember({ member: 'openid' }),
  'POST /oauth/userinfo': ofMember({ member: 'openid' }),
  'OPTIONS /oauth/userinfo': memberPreflight('GET, POST'),
  // Nobody is signed in; session-probe.codes.test.ts has members who are.
  'GET /oauth/session': {
    site: 'tenant',
    key: 'none',
    query: `client_id=${contractClient.client_id}`,
    headers: { origin: contractOrigin },
    status: 200,
    answerHeaders: { ...json, ...unstored, ...allowedOrigin },
    inputRefusal: { status: 403, body: { error: 'invalid_request' } },
  },
  'OPTIONS /oauth/session': {
    site: 'tenant',
    key: 'none',
    query: `client_id=${contractClient.client_id}`,
    headers: { origin: contractOrigin, 'access-control-request-method': 'GET' },
    status: 204,
    answerHeaders: {
      ...allowedOrigin,
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '600',
    },
    undocumented: 'Browsers send it by themselves.',
  },
  'GET /.well-known/openid-configuration': published,
  'GET /.well-known/oauth-authorization-server': published,
  'GET /.well-known/jwks.json': published,
}
