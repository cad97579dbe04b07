import { ErrorBody, Liveness, PlatformHealth, Readiness, TenantHealth } from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { withDeadline } from '../foundation/deadline.ts'
import { degradedPlatform } from './check-platform-health.ts'
import { degradedTenant } from './check-tenant-health.ts'
import { CHECK_TIMEOUT_MS, type Health } from './create-health.ts'

const secured = { tags: ['Health'], security: [{ bearer: [] }] }
const open = { tags: ['Health'], security: [] }

/** The 503 of a report. */
const unavailable = (description: string, schema: TSchema, example: unknown) => ({
  description,
  content: { 'application/json': { schema, example } },
})

interface Check<Report> {
  report: Report
  faults: unknown[]
}

/** The check's report, or the degraded one when the whole request, with the time since `beganMs` that was spent
 *  on its key, would take longer than a check may. */
async function inTime<Report>(
  request: FastifyRequest,
  beganMs: number,
  degraded: Report,
  run: () => Promise<Check<Report>>,
): Promise<Report> {
  // Nobody knows whether the caller may see more.
  if (request.credentialUnchecked) return degraded
  const leftMs = Math.max(1, CHECK_TIMEOUT_MS - (performance.now() - beganMs))
  const check = await withDeadline(leftMs, 'The check', run).catch(error => ({
    report: degraded,
    faults: [error],
  }))
  for (const fault of check.faults) request.log.warn({ err: fault }, 'the health check met a fault')
  return check.report
}

/** The two health reports (interface 4.1 and 4.3; decisions, "Health"), and whether this process lives and is
 *  ready; to HEAD too, with which many monitors ask. */
export function healthRoutes(health: Health) {
  return async (app: FastifyInstance): Promise<void> => {
    // Before the edge looks at the key, which takes its time while the database is away.
    const began = new WeakMap<FastifyRequest, number>()
    app.addHook('onRequest', async request => {
      began.set(request, performance.now())
    })
    const beganMs = (request: FastifyRequest) => began.get(request) ?? performance.now()
    // On every answer of these routes, the refusals included.
    app.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })

    app.get(
      '/api/v1/landlord/health',
      {
        config: { site: 'platform', operator: true, health: true },
        exposeHeadRoute: true,
        schema: {
          ...secured,
          operationId: 'platformHealth.show',
          summary: 'The health of the background queues',
          description:
            'How many jobs wait in each configured queue, and how many failed in the last 7 days, for a monitor. ' +
            '503 with the degraded report when the backend does not answer.',
          response: {
            200: PlatformHealth,
            401: ErrorBody,
            404: ErrorBody,
            503: unavailable('The backend of the queues does not answer.', PlatformHealth, degradedPlatform),
          },
        },
      },
      async (request, reply) => {
        const report = await inTime(request, beganMs(request), degradedPlatform, health.checkPlatform)
        return reply.code(report.status === 'ok' ? 200 : 503).send(report)
      },
    )

    app.get(
      '/api/v1/health',
      {
        config: { site: 'api', ability: 'health:read', health: true },
        exposeHeadRoute: true,
        schema: {
          ...secured,
          operationId: 'tenantHealth.show',
          summary: "The health of the tenant's queues",
          description:
            'How much waits in the Event Queue and the Heartbeat Queue, and for how long. 503 with the degraded ' +
            'report when the store does not answer.',
          response: {
            200: TenantHealth,
            401: ErrorBody,
            403: ErrorBody,
            404: ErrorBody,
            422: ErrorBody,
            503: unavailable(
              'The store of the queues does not answer.',
              TenantHealth,
              degradedTenant('0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6a'),
            ),
          },
        },
      },
      async (request, reply) => {
        const tenantId = request.credentialUnchecked ? '' : request.tenant.id
        const check = () => health.checkTenant(tenantId)
        const report = await inTime(request, beganMs(request), degradedTenant(tenantId), check)
        return reply.code(report.status === 'ok' ? 200 : 503).send(report)
      },
    )

    app.get(
      '/livez',
      {
        config: { site: 'any' },
        exposeHeadRoute: true,
        schema: {
          ...open,
          operationId: 'livez',
          summary: 'Whether the process lives',
          description: 'Always 200 while the process answers at all. It asks nothing of the database.',
          response: { 200: Liveness },
        },
      },
      async () => ({ status: 'ok' as const }),
    )

    app.get(
      '/readyz',
      {
        config: { site: 'any' },
        exposeHeadRoute: true,
        schema: {
          ...open,
          operationId: 'readyz',
          summary: 'Whether requests should be sent here',
          description:
            '200 when the start is done and the database answers; 503 before, meanwhile, and once the process stops.',
          response: {
            200: Readiness,
            503: unavailable('Send requests elsewhere.', Readiness, {
              status: 'unavailable',
              message: 'The database cannot be reached.',
            }),
          },
        },
      },
      async (_request, reply) => {
        const readiness = await health.checkReadiness()
        return reply.code(readiness.status === 'ok' ? 200 : 503).send(readiness)
      },
    )
  }
}
