import { Readable } from 'node:stream'
import {
  ErrorBody,
  EventsResponse,
  maxEventsPerRead,
  type QueueName,
  RewindRequest,
  RewindResponse,
} from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { DatabaseTransaction, OpenDatabase } from '../foundation/database/index.ts'
import { invalid } from '../foundation/http/index.ts'
import { dayAfter } from './prepare-logs.ts'
import { readQueue } from './read-queue.ts'
import { removeFromQueue } from './remove-from-queue.ts'
import { logDays } from './retention.ts'
import { type Rewound, rewindQueue } from './rewind-queue.ts'

export interface QueueRoutesOptions {
  database: OpenDatabase
  queue: QueueName
  /** Says in the audit trail that a head was moved back. */
  auditRewind(
    trx: DatabaseTransaction,
    by: { tenantId: string; keyId: string; keyName: string; address: string },
    details: Rewound & { queue: QueueName },
  ): Promise<void>
}

/** Digits, which are what a query can carry of an integer. */
const integer = (
  pattern: string,
  meaning: { minimum: number; maximum?: number; examples: number[] },
  description: string,
) =>
  Type.String({
    pattern,
    description,
    contentMediaType: 'application/json',
    contentSchema: Type.Integer(meaning),
  })

// Each description completes "<name> must be …".
const LimitQuery = Type.Object({
  limit: Type.Optional(
    integer(
      '^([1-9][0-9]{0,3}|10000)$',
      { minimum: 1, maximum: maxEventsPerRead, examples: [1000] },
      'an integer from 1 to 10000: how many events to read at most',
    ),
  ),
})
const RemoveQuery = Type.Object({
  count: integer(
    '^[1-9][0-9]{0,15}$',
    { minimum: 1, examples: [1000] },
    'an integer of 1 or more, sent once: how many events to remove, the count that the GET answered',
  ),
  first_id: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      description: 'a UUID: the id of the first event that was read; 409 when another is at the front by now',
      examples: ['019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a70'],
    }),
  ),
})
const RemoveHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        '1 to 255 visible ASCII characters: names this removal, so that a retry removes nothing more',
      examples: ['4b1d3f60-6f0e-4c0c-9a53-0a7a53a0a1d2'],
    }),
  ),
})

/** GET, DELETE and rewind of a queue (interface 4.4 and 4.5; decisions, "Answers"). */
export function queueRoutes({ database, queue, auditRewind }: QueueRoutesOptions) {
  const path = `/api/platform/${queue}`
  const name = queue === 'events' ? 'Events' : 'Heartbeats'
  const common = { tags: ['Queue'], security: [{ bearer: [] }] }
  const refusals = { 401: ErrorBody, 403: ErrorBody, 404: ErrorBody, 422: ErrorBody, 503: ErrorBody }

  return async (app: FastifyInstance): Promise<void> => {
    app.get<{ Querystring: { limit?: string } }>(
      path,
      {
        config: { site: 'api', ability: 'events:read' },
        schema: {
          ...common,
          operationId: `platform${name}.index`,
          summary: `Read ${queue} from the front of the queue`,
          description:
            'Up to 10,000 events or 32 MiB, which stay in the queue until they are removed. Empty while the flag UseQueueEvents is off.',
          querystring: LimitQuery,
          response: { 200: EventsResponse, ...refusals },
        },
      },
      async (request, reply) => {
        const limit = Number(request.query.limit ?? maxEventsPerRead)
        const { bytes, pieces } = await readQueue(database, request.tenant.id, queue, limit)
        reply.type('application/json').header('content-length', bytes).header('cache-control', 'no-store')
        return reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: 1024 * 1024 }))
      },
    )

    app.delete<{
      Querystring: { count: string; first_id?: string }
      Headers: { 'idempotency-key'?: string }
    }>(
      path,
      {
        config: { site: 'api', ability: 'events:delete' },
        schema: {
          ...common,
          operationId: `platform${name}.destroy`,
          summary: `Remove ${queue} from the front of the queue`,
          description:
            'Removes exactly count events, or what waits if that is less. Events that arrived after the GET stay. ' +
            'Send first_id and an Idempotency-Key: a retry then never removes an event that was not read.',
          querystring: RemoveQuery,
          headers: RemoveHeaders,
          response: {
            204: Type.Null({ description: 'Removed.' }),
            ...refusals,
            409: {
              description: 'first_id is not at the front any more, so nothing was removed.',
              content: {
                'application/json': {
                  schema: ErrorBody,
                  example: {
                    message:
                      'first_id is not at the front: it was removed already, the queue was moved back, or it never was here. Read again.',
                  },
                },
              },
            },
          },
        },
      },
      async (request, reply) => {
        await removeFromQueue(database.db, request.tenant.id, queue, {
          count: Number(request.query.count),
          firstId: request.query.first_id?.toLowerCase(),
          idempotencyKey: request.headers['idempotency-key'],
        })
        return reply.code(204).send()
      },
    )

    app.post<{ Body: { to: number | string } }>(
      `${path}/rewind`,
      {
        config: { site: 'api', ability: 'events:delete' },
        schema: {
          ...common,
          operationId: `platform${name}.rewind`,
          summary: `Move the front of the queue back, to read ${queue} again`,
          description: 'To a position or a time; at most to the oldest event that is kept.',
          body: RewindRequest,
          response: { 200: RewindResponse, 400: ErrorBody, ...refusals, 413: ErrorBody, 415: ErrorBody },
        },
      },
      async request => {
        const { to } = request.body
        const target = typeof to === 'number' ? to : new Date(to)
        if (target instanceof Date && Number.isNaN(target.getTime()))
          throw invalid({ to: ['to must be a time that exists.'] })
        const keptFromDay = dayAfter(new Date(), -logDays(request.tenant.events, queue))
        const rewind = { to: target, keptFromDay }
        const { keyId, name: keyName } = request.credential
        const by = { tenantId: request.tenant.id, keyId, keyName, address: request.clientAddress }
        const rewound = await rewindQueue(database.db, request.tenant.id, queue, rewind, (trx, details) =>
          auditRewind(trx, by, { ...details, queue }),
        )
        return { data: { position: rewound.position, depth: rewound.depth } }
      },
    )
  }
}
