import { expect } from 'vitest'
import { changing, type ExpectedOperation, resource } from './expected-operation.ts'
import { canaries } from './log-lines.ts'

/** Providers that are there when a request is sent, and the one that goes with it. */
export const liveProviders = { staying: 'contract-staying', going: 'contract-going' }

const providers = (rest: Partial<ExpectedOperation>): ExpectedOperation => ({
  site: 'api',
  key: 'organization',
  ability: 'admin:read',
  status: 200,
  answerHeaders: resource,
  ...rest,
})
const ofLive = { params: { provider_id: liveProviders.staying } }

/** Operations of social providers. None is asked: it is not enabled, and nobody listens where it is. */
export const socialOperations: Record<string, ExpectedOperation> = {
  'GET /api/v1/social-providers': providers({}),
  'POST /api/v1/social-providers': providers({
    ...changing,
    payload: {
      data: {
        type: 'social-providers',
        attributes: {
          provider: 'oidc',
          name: 'Staff',
          issuer: 'http://127.0.0.1:9/',
          client_id: 'usher',
          client_secret: canaries.body,
          enabled: false,
        },
      },
    },
    status: 201,
    answerHeaders: {
      ...resource,
      location: expect.stringMatching(/^\/api\/v1\/social-providers\/staff(?:-\d+)?$/),
    },
  }),
  'GET /api/v1/social-providers/:provider_id': providers(ofLive),
  'PATCH /api/v1/social-providers/:provider_id': providers({
    ...changing,
    ...ofLive,
    payload: { data: { type: 'social-providers', attributes: { name: 'Staff' } } },
  }),
  'DELETE /api/v1/social-providers/:provider_id': providers({
    ...changing,
    params: { provider_id: liveProviders.going },
    status: 204,
    answerHeaders: {},
  }),
}
