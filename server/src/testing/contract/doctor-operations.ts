import { type ExpectedOperation, length, resource, unstored } from './expected-operation.ts'
import { changingClientId } from './oauth-operations.ts'

/** Operations of the silent sign-in doctor. */
export const doctorOperations: Record<string, ExpectedOperation> = {
  'GET /api/v1/oauth-clients/:client_id/silent-sign-in': {
    site: 'api',
    key: 'organization',
    ability: 'admin:read',
    params: { client_id: changingClientId },
    query: 'site=https%3A%2F%2Fnews.acme.example',
    status: 200,
    answerHeaders: { ...resource, ...unstored },
  },
  'GET /silent-sign-in/check.js': {
    site: 'tenant',
    key: 'none',
    status: 200,
    answerHeaders: {
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': length,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
    undocumented: 'It is a part of the page of the live check.',
  },
}
