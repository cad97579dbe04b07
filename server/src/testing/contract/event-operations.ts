import { expect } from 'vitest'
import { anyOrigin, type ExpectedOperation, etag, json, length, unstored } from './expected-operation.ts'
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

const sdkScript = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/** Operations of events, of their queues and of the browser SDK. */
export const eventOperations: Record<string, ExpectedOperation> = {
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
