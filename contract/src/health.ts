import { Type } from 'typebox'

const Status = Type.Union([Type.Literal('ok'), Type.Literal('degraded')], {
  description: '`ok` when the queues answered, `degraded` otherwise.',
})
const orNull = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

const QueueHealth = Type.Object({
  depth: orNull('Items that wait; null when the store did not answer.'),
  oldest_age_seconds: orNull('Age of the oldest item that waits; null when none waits.'),
})

/** The health of a tenant's two queues (interface 2.2). */
export const TenantHealth = Type.Object(
  {
    status: Status,
    tenant: Type.String({ description: "The tenant's id; empty when it could not be found out." }),
    store: Type.Object({
      reachable: Type.Boolean({ description: 'Whether the store of the queues answered.' }),
    }),
    queues: Type.Object({ events: QueueHealth, heartbeats: QueueHealth }),
  },
  {
    $id: 'TenantHealth',
    description: "The tenant's queues. Every value is null when the store did not answer.",
    examples: [
      {
        status: 'ok',
        tenant: '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6a',
        store: { reachable: true },
        queues: {
          events: { depth: 1250, oldest_age_seconds: 12 },
          heartbeats: { depth: 0, oldest_age_seconds: null },
        },
      },
    ],
  },
)
export type TenantHealth = Type.Static<typeof TenantHealth>

/** The health of the platform's background queues (interface 2.3). */
export const PlatformHealth = Type.Object(
  {
    status: Status,
    queue: Type.Object({
      reachable: Type.Boolean({ description: 'Whether the backend of the background queues answered.' }),
    }),
    queues: Type.Record(
      Type.String(),
      Type.Object({
        pending: Type.Integer({
          minimum: 0,
          description: 'Jobs that wait to run, for the first time or again.',
        }),
      }),
      { description: 'The configured queues by name; empty when the backend did not answer.' },
    ),
    failed_jobs: orNull(
      'Jobs of all queues that failed in the last 7 days; null when they cannot be counted.',
    ),
  },
  {
    $id: 'PlatformHealth',
    description: 'The background queues. None is listed when the backend did not answer.',
    examples: [
      {
        status: 'ok',
        queue: { reachable: true },
        queues: { high: { pending: 0 }, default: { pending: 3 }, bulk: { pending: 120 } },
        failed_jobs: 1,
      },
    ],
  },
)
export type PlatformHealth = Type.Static<typeof PlatformHealth>

/** The answer of /livez. */
export const Liveness = Type.Object(
  { status: Type.Literal('ok') },
  { $id: 'Liveness', description: 'The process answers.', examples: [{ status: 'ok' }] },
)
export type Liveness = Type.Static<typeof Liveness>

/** The answer of /readyz: whether requests should be sent here. */
export const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]),
    message: Type.Optional(Type.String({ description: 'Why not.' })),
  },
  {
    $id: 'Readiness',
    description: 'Whether requests should be sent to this process.',
    examples: [{ status: 'ok' }],
  },
)
export type Readiness = Type.Static<typeof Readiness>
