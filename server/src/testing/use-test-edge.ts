import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect } from 'vitest'
import { openTenancy, type Tenancy } from '../tenancy/index.ts'
import { suspendTenant } from '../tenancy/suspend-tenant.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'
import { buildEdgeApp, type EdgeAnswer, type EdgeApp } from './edge.ts'
import { applyTestPlatform, TEST_PLATFORM_HOST } from './platform.ts'

/** The token of a key, by a word of its own. */
export const token = (name: string) => `${name}-token-of-32-characters-or-more`
const PLATFORM = `
operators: [ops@example.com]
platform_keys:
  - { name: monitor, token: ${token('monitor')} }
  - { name: expired, token: ${token('platform-expired')}, expires_at: 2020-01-01 }
  - { name: reader, token: ${token('platform-reader')}, abilities: [events:read] }
tenants:
  - slug: acme
    name: Acme <Daily>
    domain: members.acme.example
    aliases: [accounts.acme.example]
    staff: [{ email: admin@acme.example, role: administrator }, { email: both@example.com, role: viewer }]
    keys:
      - { name: consumer, token: ${token('acme')} }
      - { name: reader, token: ${token('acme-reader')}, abilities: [events:read] }
      - { name: expired, token: ${token('acme-expired')}, expires_at: 2020-01-01 }
      - { name: operators, user: ops@example.com, token: ${token('acme-operator')} }
      - { name: both, user: both@example.com, token: ${token('acme-both')} }
  - slug: globe
    name: The Globe
    domain: globe.example
    staff: [{ email: admin@globe.example, role: administrator }, { email: both@example.com, role: viewer }]
    keys: [{ name: consumer, token: ${token('globe')} }]
  - slug: gone
    name: Gone & <b>Lost</b>
    domain: gone.example
    aliases: [alias.gone.example]
    staff: [{ email: admin@gone.example, role: administrator }]
    keys: [{ name: consumer, token: ${token('gone')} }]
`

/** Some routes of each kind. */
function addRoutes(app: FastifyInstance): void {
  app.get('/livez', { config: { site: 'any' } }, async () => ({ ok: true }))
  app.get('/docs', async () => 'no config')
  app.get(
    '/api/v1/landlord/list',
    { config: { site: 'platform', operator: true, ability: 'admin:read' } },
    async ({ site, credential }) => ({ site: site.kind, kind: credential.kind }),
  )
  app.get(
    '/api/v1/landlord/health',
    { config: { site: 'platform', operator: true, health: true } },
    async ({ credentialUnchecked }) => ({ unchecked: credentialUnchecked }),
  )
  app.route({
    method: ['GET', 'DELETE'],
    url: '/api/events',
    config: { site: 'api', ability: 'events:delete' },
    handler: async ({ tenant, credential, site }) => ({
      tenant: tenant.slug,
      key: credential.name,
      site: site.kind,
    }),
  })
  app.get(
    '/api/v1/health',
    { config: { site: 'api', ability: 'health:read', health: true } },
    async request => (request.credentialUnchecked ? { unchecked: true } : { tenant: request.tenant.slug }),
  )
  app.route({
    method: ['GET', 'HEAD', 'POST'],
    url: '/collect',
    config: { site: 'tenant' },
    handler: async ({ tenant }) => ({ tenant: tenant.slug }),
  })
  app.get('/page', { config: { site: 'tenant', page: true } }, async ({ tenant }) => tenant.name)
  app.get('/wrong', { config: { site: 'any' } }, async request => request.tenant.slug)
}

/** What the tests of a file share. */
export interface TestEdge {
  send: EdgeApp['send']
  database: TestDatabase
  /** The way of the edge to its database. */
  proxy: DatabaseProxy
  tenancy: Tenancy
  /** The edge's clock, which stands still. */
  clock: { nowMs: number }
}

/** The edge over routes of each kind, for the tests of this file. Its members are there once the tests run. */
export function useTestEdge(): TestEdge {
  const clock = { nowMs: Date.parse('2026-05-01T12:00:00Z') }
  const edge = { clock } as TestEdge
  let close = async () => {}
  beforeAll(async () => {
    const database = await createTestDatabase()
    await applyTestPlatform(database, PLATFORM)
    await suspendTenant(database.db, {
      slug: 'gone',
      suspend: true,
      actor: { kind: 'system', name: 'test' },
      now: new Date(),
    })
    const proxy = await startDatabaseProxy(database.url)
    const tenancy = openTenancy({
      databaseUrl: proxy.url,
      directUrl: proxy.url,
      platformHost: TEST_PLATFORM_HOST,
      nowMs: () => clock.nowMs,
    })
    const { app, send } = await buildEdgeApp(tenancy, `https://${TEST_PLATFORM_HOST}:8443`, addRoutes)
    Object.assign(edge, { send, database, proxy, tenancy })
    close = async () => {
      await app.close()
      await tenancy.close()
      await proxy.close()
      await database.drop()
    }
  })
  afterAll(() => close())
  return edge
}

/** A refusal of the API, whole. */
export function expectRefusal(answer: EdgeAnswer, status: number, message?: RegExp): void {
  expect([answer.statusCode, answer.body]).toEqual([status, expect.stringMatching(/^{"message":".+"}$/)])
  expect(answer.headers['content-type']).toBe('application/json')
  if (message) expect(answer.json().message).toMatch(message)
  if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer')
}
