import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { eventHooks, findQueueStates, prepareLogs } from '../events/index.ts'
import { createHealth, type Health, healthRoutes } from '../health/index.ts'
import { countFailed, countPending } from '../jobs/index.ts'
import { findTenantBySlug } from '../tenancy/index.ts'
import { type Answer, startTestApp, type TestApp } from './app.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'
import { makeJobTables } from './left-jobs.ts'
import { applyTestPlatform } from './platform.ts'

/** The addresses of the two reports. */
export const PLATFORM = '/api/v1/landlord/health'
export const TENANT = '/api/v1/health'
const queues = ['high', 'default', 'bulk']
export const acmeHost = 'members.acme.localhost'
export const token = (name: string) => `${name}-`.padEnd(40, 'x')
/** Tokens of keys, which say by their names what each may do. */
export const monitor = token('monitor')
export const reader = token('reader')
export const consumer = token('consumer')
export const stranger = token('stranger')

const file = `
operators: [ops@example.com]
platform_keys:
  - { name: monitor, operator: ops@example.com, token: ${monitor} }
tenants:
  - slug: acme
    name: Acme
    domain: ${acmeHost}
    staff: [{ email: admin@acme.example, role: administrator }]
    keys:
      - { name: reader, user: admin@acme.example, token: ${reader}, abilities: [health:read] }
      - { name: consumer, user: admin@acme.example, token: ${consumer}, abilities: [events:read] }
  - slug: other
    name: Other
    domain: members.other.localhost
    staff: [{ email: admin@other.example, role: administrator }]
    keys:
      - { name: stranger, user: admin@other.example, token: ${stranger} }
`

/** Reports, as they are due. */
export const degradedPlatform = {
  status: 'degraded',
  queue: { reachable: false },
  queues: {},
  failed_jobs: null,
}
export const emptyPlatform = {
  status: 'ok',
  queue: { reachable: true },
  queues: { high: { pending: 0 }, default: { pending: 0 }, bulk: { pending: 0 } },
  failed_jobs: 0,
}
const unknown = { depth: null, oldest_age_seconds: null }
export const degradedTenant = (tenant: string) => ({
  status: 'degraded',
  tenant,
  store: { reachable: false },
  queues: { events: unknown, heartbeats: unknown },
})
const empty = { depth: 0, oldest_age_seconds: null }

/** What every answer of a health route has, and the body as the bytes that were sent. */
export function expectAnswer(answer: Answer, status: number, body: object) {
  expect(answer.status).toBe(status)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-request-id']).toMatch(/./)
  expect(answer.body).toBe(JSON.stringify(body))
}
/** A 503 within the two seconds that a monitor waits. */
export function expectDegraded(answer: Answer, body: object) {
  expectAnswer(answer, 503, body)
  expect(answer.ms).toBeLessThan(2_000)
}

/** The health routes over a socket, on a database that they reach by a proxy. */
export function useTestHealth() {
  let database: TestDatabase
  let proxy: DatabaseProxy
  let health: Health
  let app: TestApp
  let acme: string
  /** How far the clock of the edge is ahead. */
  const clock = { aheadMs: 0 }

  beforeAll(async () => {
    database = await createTestDatabase()
    await applyTestPlatform(database, file, { hooks: eventHooks })
    acme = (await findTenantBySlug(database.db, 'acme'))?.id ?? ''
    await prepareLogs(database.db, new Date())
    await makeJobTables(database.url, queues)
    proxy = await startDatabaseProxy(database.url)
  })
  beforeEach(async () => {
    clock.aheadMs = 0
    health = createHealth({
      databaseUrl: proxy.url,
      readQueueStates: findQueueStates,
      countPending: db => countPending(db, queues),
      countFailed,
    })
    app = await startTestApp(proxy.url, [healthRoutes(health)], () => Date.now() + clock.aheadMs)
  })
  afterEach(async () => {
    await proxy.restore()
    await app.close()
    await health.close()
    await sql`delete from pgboss.job`.execute(database.db)
  })
  afterAll(async () => {
    await proxy.close()
    await database.drop()
  })

  const emptyTenant = () => ({
    status: 'ok',
    tenant: acme,
    store: { reachable: true },
    queues: { events: empty, heartbeats: empty },
  })

  const platform = () => app.get(PLATFORM, { key: monitor })
  const tenant = () => app.get(TENANT, { host: acmeHost, key: reader })

  async function recovered() {
    await expect.poll(async () => (await platform()).status, { timeout: 8_000 }).toBe(200)
    await expect.poll(async () => (await tenant()).status, { timeout: 8_000 }).toBe(200)
    expectAnswer(await platform(), 200, emptyPlatform)
    expectAnswer(await tenant(), 200, emptyTenant())
  }

  return {
    platform,
    tenant,
    emptyTenant,
    recovered,
    clock,
    /** There once the tests run, as are the following. */
    get database() {
      return database
    },
    get proxy() {
      return proxy
    },
    get health() {
      return health
    },
    get app() {
      return app
    },
    /** Acme's id. */
    get acme() {
      return acme
    },
  }
}
