import { anyOrigin, type ExpectedOperation, json, unstored } from './expected-operation.ts'
import { canaries } from './log-lines.ts'

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

/** Operations of events and of their queues. */
export const eventOperations: Record<string, ExpectedOperation> = {
  ...queue('events'),
  ...queue('heartbeats'),
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
