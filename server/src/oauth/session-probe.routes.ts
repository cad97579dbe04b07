import { ErrorBody, SessionProbeRefusal, SessionProbeResponse } from '@usher/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ApiError, countHeader } from '../foundation/http/index.ts'
import type { RateLimits } from '../foundation/rate-limits/index.ts'
import type { OAuthParts } from './open-oauth.ts'
import { answerProbe } from './session-probe/answer-probe.ts'
import { findAsking } from './session-probe/find-asking.ts'
import type { Probe } from './session-probe/probe.ts'
import { createProbeLimits } from './session-probe/probe-limits.ts'

const path = '/oauth/session'
const JSON_TYPE = 'application/json'
/** Text, not bytes: Node writes it together with the headers, in half the time. */
const body = (content: SessionProbeResponse | SessionProbeRefusal): string => JSON.stringify(content)
/** The commonest answers, made once. */
const unauthenticated = body({ status: 'unauthenticated' })
const refused = body({ error: 'invalid_request' })

const TOO_MANY = 'Too many probes. Ask again later, and remember the answer.'

/** Nothing else: no header tells a page of another origin that anything is here. */
const refuse = (reply: FastifyReply): FastifyReply => reply.code(403).type(JSON_TYPE).send(refused)

/** Lets the page that asks read the answer, with the browser's cookies sent (Fetch standard, 3.2.3). */
const allow = (reply: FastifyReply, origin: string): FastifyReply =>
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-allow-credentials', 'true')
    .header('vary', 'Origin')

function probeOf(request: FastifyRequest): Probe {
  const { origin } = request.headers
  const { client_id: clientId } = request.query as Record<string, string | string[] | undefined>
  return {
    tenant: request.tenant,
    clientIds: clientId === undefined ? [] : [clientId].flat(),
    origin: origin ?? '',
    originCount: origin === undefined ? 0 : countHeader(request.raw, 'origin'),
  }
}

/** The session probe (interface 4.8) and its preflight (4.8a): "is anyone signed in on this browser?", for the pages of
 *  the origins that a client has registered. */
export function sessionProbeRoutes({ rateLimits, ...oauth }: OAuthParts & { rateLimits: RateLimits }) {
  const parts = { ...oauth, limits: createProbeLimits(rateLimits, oauth.members) }
  const common = {
    config: { site: 'tenant' },
    // Documented only: a client_id that is missing or sent twice is refused as everything else is.
    validatorCompiler: () => () => true,
  } as const

  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      path,
      {
        ...common,
        schema: {
          operationId: 'oauth.session',
          tags: ['OAuth'],
          summary: 'Ask whether anybody is signed in on this browser',
          description:
            "For a page of an origin that the client has registered: a credentialed cross-origin request, decided by the member's session cookie. It changes nothing.",
          querystring: Type.Object({
            client_id: Type.Optional(
              Type.String({
                description: 'The client. A request without it is refused.',
                examples: ['partner'],
              }),
            ),
          }),
          response: {
            200: SessionProbeResponse,
            403: {
              description:
                'There is no Origin, no such client, it is disabled, or the origin is not registered for it: without CORS headers, so that a browser keeps it from the page. Or the tenant is suspended.',
              content: {
                [JSON_TYPE]: {
                  schema: Type.Union([SessionProbeRefusal, ErrorBody]),
                  example: { error: 'invalid_request' },
                },
              },
            },
            429: {
              description:
                'More than 120 requests a minute of one browser for one client, or 600 of one address.',
              content: { [JSON_TYPE]: { schema: ErrorBody, example: { message: TOO_MANY } } },
            },
          },
        },
      },
      async (request, reply) => {
        const probe = probeOf(request)
        const { cookie: cookieHeader, 'user-agent': userAgent = '' } = request.headers
        const answer = await answerProbe(parts, probe, {
          cookieHeader,
          userAgent,
          address: request.clientAddress,
        })
        switch (answer.kind) {
          case 'refused':
            return refuse(reply)
          case 'unauthenticated':
          case 'authenticated':
            return allow(reply, probe.origin)
              .header('content-type', JSON_TYPE)
              .header('cache-control', 'no-store')
              .send(
                answer.kind === 'unauthenticated'
                  ? unauthenticated
                  : body({ status: 'authenticated', code: answer.code, expires_in: 30 }),
              )
          default:
            if (answer.isRegistered)
              allow(reply, probe.origin).header('access-control-expose-headers', 'Retry-After')
            throw answer.kind === 'failed'
              ? answer.error
              : new ApiError(429, TOO_MANY, { headers: { 'retry-after': String(answer.waitS) } })
        }
      },
    )

    app.options(path, { ...common, schema: { hide: true } }, async (request, reply) => {
      const probe = probeOf(request)
      if (!(await findAsking(probe, oauth.clients.find))) return refuse(reply)
      return allow(reply, probe.origin)
        .code(204)
        .header('access-control-allow-methods', 'GET')
        .header('access-control-allow-headers', 'Content-Type')
        .header('access-control-max-age', '600')
        .send()
    })
  }
}
