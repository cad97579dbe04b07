import {
  anyOrigin,
  changing,
  type ExpectedOperation,
  json,
  resource,
  unstored,
} from './expected-operation.ts'

/** Stands for a session that lives when the request is sent. */
export const liveSession = '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6b'
export const ofMember = (rest: Partial<ExpectedOperation>): ExpectedOperation => ({
  site: 'tenant',
  key: 'none',
  member: true,
  status: 200,
  answerHeaders: { ...json, ...anyOrigin, ...unstored },
  refusalHeaders: { ...anyOrigin, ...unstored },
  ...rest,
})
export const memberPreflight = (method: string, params?: Record<string, string>): ExpectedOperation => ({
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

/** Operations of members and of the tenant's staff on their sessions. */
export const memberOperations: Record<string, ExpectedOperation> = {
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
