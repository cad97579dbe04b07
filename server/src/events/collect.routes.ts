import { isUtf8 } from 'node:buffer'
import {
  CollectRefusal,
  CollectRequest,
  CollectResponse,
  ErrorBody,
  maxRequestBytes,
  maxUserAgentLength,
  type QueueName,
} from '@usher/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ApiError } from '../foundation/http/index.ts'
import { networkOf, type RateLimits } from '../foundation/rate-limits/index.ts'
import type { Tenant } from '../tenancy/index.ts'
import { collectEvents, readUserAgent, type UserAgent } from './collect-events.ts'
import type { LogWriter } from './log-writer.ts'

export interface CollectRoutesOptions {
  writers: Record<QueueName, LogWriter>
  rateLimits: RateLimits
  /** Requests an address may make in a minute; 0 is no limit. */
  requestsPerMinute: number
  /** The id of the member whose token is good now at this tenant; undefined for any other token. */
  findMemberId(tenant: Tenant, token: string): Promise<string | undefined>
  nowMs(): number
}

/** The commonest answer, made once. */
const acceptedOne = JSON.stringify({ accepted: 1, duplicates: 0, rejected: [] })
const maxCachedUserAgents = 2_000
const NONE_STORED = 'None of the events could be stored.'
const TOO_MANY = 'Too many requests from this address. Send the events again later.'

/** POST /api/sdk/events (decisions, "Events"): events of any page, without a preflight. */
export function collectRoutes(options: CollectRoutesOptions) {
  return async (app: FastifyInstance): Promise<void> => {
    const { writers, rateLimits, requestsPerMinute, findMemberId, nowMs } = options
    const limit =
      requestsPerMinute > 0
        ? rateLimits.limit({ name: 'collect', most: requestsPerMinute, windowS: 60 })
        : undefined

    app.removeAllContentTypeParsers()
    app.addContentTypeParser(['application/json', 'text/plain'], { parseAs: 'buffer' }, parseJson)
    // A page of any origin may send, without credentials; this holds for refusals of the edge too.
    app.addHook('onSend', (_request, reply, payload, done) => {
      reply.header('access-control-allow-origin', '*')
      reply.header('access-control-expose-headers', 'Retry-After, X-Request-Id')
      done(null, payload)
    })

    const userAgents = new Map<string | undefined, UserAgent>()
    function userAgentOf(header: string | undefined): UserAgent {
      let known = userAgents.get(header)
      if (!known) {
        known = readUserAgent(header, maxUserAgentLength)
        if (userAgents.size >= maxCachedUserAgents) userAgents.clear()
        userAgents.set(header, known)
      }
      return known
    }

    app.options(
      '/api/sdk/events',
      { config: { site: 'tenant' }, schema: { hide: true } },
      (_request, reply) => {
        reply
          .code(204)
          .header('access-control-allow-methods', 'POST')
          .header('access-control-allow-headers', 'Content-Type')
          .header('access-control-max-age', '600')
          .send()
      },
    )

    app.post(
      '/api/sdk/events',
      {
        config: { site: 'tenant' },
        bodyLimit: maxRequestBytes,
        schema: {
          operationId: 'sdkEvents.store',
          tags: ['SDK'],
          summary: 'Record events of a page',
          description:
            'Each event is checked on its own: good ones are stored beside bad ones. The answer comes after the commit. ' +
            'Sending the same ids again is safe. With the token of a member who is signed in, each event has the member; ' +
            'with one that is not good, it has none. text/plain with the same JSON is accepted, so that no preflight is needed.',
          consumes: ['application/json', 'text/plain'],
          body: CollectRequest,
          response: {
            202: CollectResponse,
            400: ErrorBody,
            403: ErrorBody,
            404: ErrorBody,
            413: ErrorBody,
            415: ErrorBody,
            421: ErrorBody,
            422: {
              description:
                'None of the events is good, with the reasons; or the body has no list of 1 to 100 events.',
              content: {
                'application/json': {
                  schema: Type.Union([CollectRefusal, ErrorBody]),
                  examples: {
                    refused: {
                      value: {
                        message: NONE_STORED,
                        accepted: 0,
                        duplicates: 0,
                        rejected: [{ index: 0, message: 'event_sequence must be an integer from 0' }],
                      },
                    },
                    malformed: {
                      value: {
                        message: 'events must be a list of at least one event.',
                        errors: { events: ['events must be a list of at least one event.'] },
                      },
                    },
                  },
                },
              },
            },
            429: {
              description: 'Too many requests from this address.',
              content: { 'application/json': { schema: ErrorBody, example: { message: TOO_MANY } } },
            },
            503: {
              description:
                'The events are not stored, or nobody knows whether they are. Send them again with the same ids.',
              content: {
                'application/json': {
                  schema: ErrorBody,
                  example: { message: 'Too many events wait to be stored. Send them again later.' },
                },
              },
            },
          },
        },
        // The schema documents; each event is validated on its own, and the body by the use case.
        validatorCompiler: () => value => ({ value }),
        serializerCompiler: () => data => JSON.stringify(data),
      },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const address = request.clientAddress
        if (limit) {
          const waitS = await limit.count(networkOf(address))
          if (waitS > 0) throw new ApiError(429, TOO_MANY, { headers: { 'retry-after': String(waitS) } })
        }
        const { tenant } = request
        const { id: tenantId, events: settings } = tenant
        const { status, body } = await collectEvents(
          {
            body: request.body,
            tenantId,
            settings,
            receivedAtMs: nowMs(),
            address,
            userAgent: userAgentOf(request.headers['user-agent']),
            findMemberId: token => findMemberId(tenant, token),
          },
          writers,
        )
        reply.code(status).header('content-type', 'application/json')
        const isPlain = status === 202 && body.rejected.length === 0 && !body.warnings
        if (isPlain && body.accepted === 1 && body.duplicates === 0) return reply.send(acceptedOne)
        const message = status === 422 ? { message: NONE_STORED } : {}
        return reply.send(JSON.stringify({ ...message, ...body }))
      },
    )
  }
}

function parseJson(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  // A decoder would put U+FFFD in the place of bad bytes, and what is stored would not be what was sent.
  if (!isUtf8(body)) {
    done(new ApiError(400, 'The body is not UTF-8.'))
    return
  }
  try {
    done(null, JSON.parse(body.toString()))
  } catch (cause) {
    done(new ApiError(400, 'The body is not valid JSON.', { cause }))
  }
}
