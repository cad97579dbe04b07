import {
  ErrorBody,
  type MemberResponse,
  MemberSessionList,
  MemberResponse as Response,
} from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { allowAnyOrigin, answerPreflight, notFound } from '../foundation/http/index.ts'
import { toIso } from '../foundation/time.ts'
import { authenticateMember } from './authenticate-member.ts'
import { type FindClient, listForMember } from './describe-sessions.ts'
import type { VerifiedToken } from './member-token.ts'
import type { Members } from './open-members.ts'
import { SessionParams } from './session-params.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A member's token opens the route. */
    member?: boolean
  }
}

export interface MemberRoutesOptions {
  members: Members
  findClient: FindClient
  /** Unix milliseconds. */
  nowMs(): number
}

const common = { tags: ['Member'] }
const config = { site: 'tenant', member: true } as const
const refusals = { 401: ErrorBody, 403: ErrorBody, 404: ErrorBody, 503: ErrorBody }
/** The member's API (decisions): who the token's member is, and where they are signed in. For the pages of any origin,
 *  without cookies: the token is sent as Bearer. */
export function memberRoutes({ members, findClient, nowMs }: MemberRoutesOptions) {
  return async (app: FastifyInstance): Promise<void> => {
    allowAnyOrigin(app)

    /** The good token of a request, whose use is noted. */
    async function enter(request: FastifyRequest): Promise<VerifiedToken> {
      const { tenant } = request
      const token = await authenticateMember(members, tenant, request.headers.authorization)
      await members.noteSeen(tenant.id, {
        sessionId: token.sessionId,
        address: request.clientAddress,
        now: new Date(nowMs()),
      })
      return token
    }

    for (const [path, method] of [
      ['/api/sdk/member', 'GET'],
      ['/api/sdk/member/sessions', 'GET'],
      ['/api/sdk/member/sessions/:session_id', 'DELETE'],
      ['/api/sdk/sign-out', 'POST'],
    ] as const)
      app.options(path, { config: { site: 'tenant' }, schema: { hide: true } }, (_request, reply) =>
        answerPreflight(reply, method),
      )

    app.get(
      '/api/sdk/member',
      {
        config,
        schema: {
          ...common,
          operationId: 'sdkMember.show',
          summary: 'Say who is signed in',
          description: 'The member of the token.',
          response: { 200: Response, ...refusals },
        },
      },
      async (request): Promise<MemberResponse> => {
        const { memberId } = await enter(request)
        const member = await members.findMember(request.tenant.id, memberId)
        if (!member) throw notFound('This member is gone.')
        const { id, email, name, createdAt } = member
        return { data: { id, email, name, created_at: toIso(createdAt) } }
      },
    )

    app.get(
      '/api/sdk/member/sessions',
      {
        config,
        schema: {
          ...common,
          operationId: 'sdkMemberSession.index',
          summary: 'List where the member is signed in',
          description: 'Browsers and the applications of partners, the one in use last first.',
          response: { 200: MemberSessionList, ...refusals },
        },
      },
      async (request): Promise<MemberSessionList> => {
        const { memberId, sessionId } = await enter(request)
        const tenantId = request.tenant.id
        const sessions = await members.listSessions(tenantId, memberId, new Date(nowMs()))
        return { data: await listForMember(sessions, { tenantId, findClient, currentId: sessionId }) }
      },
    )

    app.delete<{ Params: SessionParams }>(
      '/api/sdk/member/sessions/:session_id',
      {
        config,
        schema: {
          ...common,
          operationId: 'sdkMemberSession.destroy',
          summary: 'Sign the member out of one browser or application',
          description: 'Ends that session and every token of it at once; the others go on.',
          params: SessionParams,
          response: {
            204: Type.Null({ description: 'Ended.' }),
            ...refusals,
            404: {
              description: 'The member has no such live session, or no tenant answers at this host.',
              content: {
                'application/json': { schema: ErrorBody, example: { message: NO_SESSION } },
              },
            },
          },
        },
      },
      async (request, reply) => {
        const { memberId } = await enter(request)
        const sessionId = request.params.session_id.toLowerCase()
        const now = new Date(nowMs())
        if (!(await members.endSession(request.tenant.id, { memberId, sessionId, now })))
          throw notFound(NO_SESSION)
        return reply.code(204).send()
      },
    )

    app.post(
      '/api/sdk/sign-out',
      {
        config,
        schema: {
          ...common,
          operationId: 'sdkMember.destroy',
          summary: 'Sign out',
          description:
            "Ends the token's own session, and every token that rides it. The cookie is the browser's to forget.",
          response: { 204: Type.Null({ description: 'Signed out.' }), ...refusals },
        },
      },
      async (request, reply) => {
        const { tenant } = request
        const { memberId, sessionId } = await authenticateMember(
          members,
          tenant,
          request.headers.authorization,
        )
        await members.endSession(tenant.id, { memberId, sessionId, now: new Date(nowMs()) })
        return reply.code(204).send()
      },
    )
  }
}

const NO_SESSION = 'The member has no such session, or it has ended already.'
