import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import { buildEdgeApp, type EdgeAnswer, type EdgeApp } from '../testing/edge.ts'
import { applyTestPlatform, TEST_PLATFORM_HOST } from '../testing/platform.ts'
import { makeToken } from './key-token.ts'
import { openTenancy, type Tenancy } from './open-tenancy.ts'
import { revokeKey } from './revoke-key.ts'
import { suspendTenant } from './suspend-tenant.ts'
import { findTenantBySlug } from './tenants.store.ts'

const token = (name: string) => `${name}-token-of-32-characters-or-more`
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
const addRoutes: Parameters<typeof buildEdgeApp>[2] = app => {
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

let database: TestDatabase
let proxy: DatabaseProxy
let tenancy: Tenancy
let edge: EdgeApp
let now = Date.parse('2026-05-01T12:00:00Z')

beforeAll(async () => {
  database = await createTestDatabase()
  await applyTestPlatform(database, PLATFORM)
  await suspendTenant(database.db, {
    slug: 'gone',
    suspend: true,
    actor: { kind: 'system', name: 'test' },
    now: new Date(),
  })
  proxy = await startDatabaseProxy(database.url)
  tenancy = openTenancy({
    databaseUrl: proxy.url,
    directUrl: proxy.url,
    platformHost: TEST_PLATFORM_HOST,
    nowMs: () => now,
  })
  edge = await buildEdgeApp(tenancy, `https://${TEST_PLATFORM_HOST}:8443`, addRoutes)
})
afterAll(async () => {
  await edge.app.close()
  await tenancy.close()
  await proxy.close()
  await database.drop()
})

const send: EdgeApp['send'] = (host, url, options) => edge.send(host, url, options)

function expectRefusal(answer: EdgeAnswer, status: number, message?: RegExp): void {
  expect([answer.statusCode, answer.body]).toEqual([status, expect.stringMatching(/^{"message":".+"}$/)])
  expect(answer.headers['content-type']).toBe('application/json')
  if (message) expect(answer.json().message).toMatch(message)
  if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer')
}

describe('where a route exists (decisions, "Addresses")', () => {
  test.for([
    ['platform.localhost', 404, /tenant's domain/],
    ['PLATFORM.localhost:3000', 404, /tenant's domain/],
    ['members.acme.example', 200, undefined],
    ['Members.Acme.Example.:8443', 200, undefined],
    ['nobody.example', 404, /No tenant/],
    ['nobody.platform.localhost', 404, /No tenant/],
    ['acme.members.acme.example', 404, /No tenant/],
    ['127.0.0.1:3000', 404, /No tenant/],
    ['[::1]:3000', 404, /No tenant/],
    ["'; drop table tenants", 404, /No tenant/],
    ['gone.example', 403, /suspended/],
    ['alias.gone.example', 403, /suspended/],
    ['gone.platform.localhost', 403, /suspended/],
  ] as const)('a tenant route at %s: %i', async ([host, status, message]) => {
    // Asked twice: of the database, and of what is known then.
    for (const answer of [await send(host, '/collect'), await send(host, '/collect')])
      if (status === 200) expect(answer.json()).toEqual({ tenant: 'acme' })
      else expectRefusal(answer, status, message)
  })

  test.for(['accounts.acme.example', 'acme.platform.localhost', 'ACME.Platform.localhost:3000'])(
    'a GET at the alias %s is a redirect to the canonical domain with path and query',
    async host => {
      for (const method of ['GET', 'HEAD'] as const) {
        const answer = await send(host, '/collect?a=%2F&b=//c', { method })
        expect(answer.statusCode).toBe(302)
        expect(answer.headers.location).toBe('https://members.acme.example:8443/collect?a=%2F&b=//c')
      }
    },
  )

  test('a POST at an alias is 421 and names the canonical domain', async () => {
    expectRefusal(
      await send('accounts.acme.example', '/collect', { method: 'POST', payload: {} }),
      421,
      /https:\/\/members\.acme\.example:8443/,
    )
  })

  test('an alias cannot be made to redirect elsewhere', async () => {
    const answer = await send('accounts.acme.example', '/collect?//evil.example/@evil.example')
    expect(new URL(answer.headers.location ?? '').host).toBe('members.acme.example:8443')
  })

  test.for([
    ['platform.localhost', 200],
    ['platform.localhost:1234', 200],
    ['members.acme.example', 404],
    ['acme.platform.localhost', 404],
    ['nobody.example', 404],
    ['gone.example', 404],
  ] as const)('a landlord route at %s: %i', async ([host, status]) => {
    const answer = await send(host, '/api/v1/landlord/list', { key: token('monitor') })
    if (status === 200) expect(answer.json()).toEqual({ site: 'platform', kind: 'platform' })
    else expectRefusal(answer, 404)
    // Whoever has no key learns as much.
    expectRefusal(await send(host, '/api/v1/landlord/list'), status === 200 ? 401 : 404)
  })

  test('a route that says nothing exists on the platform host only', async () => {
    expect((await send('platform.localhost', '/docs')).body).toBe('no config')
    expectRefusal(await send('members.acme.example', '/docs'), 404)
  })

  test('/livez answers at any host and at none', async () => {
    for (const host of ['nobody.example', 'gone.example', '', '::garbage::'])
      expect((await send(host, '/livez')).json()).toEqual({ ok: true })
  })

  test('an address that does not exist is 404 with a message at any host', async () => {
    for (const host of ['platform.localhost', 'members.acme.example', 'nobody.example'])
      expectRefusal(await send(host, '/nowhere'), 404)
  })

  test('a page of a suspended tenant is a page, with its name escaped', async () => {
    const answer = await send('gone.example', '/page')
    expect(answer.statusCode).toBe(403)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.body).toContain('<h1>Gone &amp; &lt;b&gt;Lost&lt;/b&gt; is not available</h1>')
  })

  test('a route that reads what its site does not have is answered without detail', async () => {
    const answer = await send('members.acme.example', '/wrong')
    expect(answer.statusCode).toBe(500)
    expect(answer.body).not.toContain('request.tenant')
  })
})

describe('who may (decisions, "Answers" and "Keys"; threats, "API")', () => {
  test.for([
    ['none', undefined],
    ['empty', ''],
    ['the scheme alone', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['another scheme', `Basic ${token('acme')}`],
    ['no scheme', token('acme')],
    ['two tokens', `Bearer ${token('acme')} ${token('acme')}`],
    ['two schemes', `Bearer Bearer ${token('acme')}`],
    ['a tab', `Bearer\t${token('acme')}`],
    ['a list', `Bearer ${token('acme')}, Bearer ${token('acme')}`],
    ['a quoted token', `Bearer "${token('acme')}"`],
    ['characters beyond ASCII', `Bearer ${token('acme')}é`],
    ['ten thousand characters', `Bearer ${'x'.repeat(10_000)}`],
    ['an unknown token', 'Bearer an-unknown-token-of-32-characters-or-more'],
    ['the right token in capitals', `Bearer ${token('acme').toUpperCase()}`],
    ['a member token', `Bearer ${btoa('{"alg":"none"}')}.${btoa('{"sub":"x"}')}.`],
    ['a made token with a wrong checksum', `Bearer ${makeToken('organization').slice(0, -1)}~`],
    ['a made token that is unknown', `Bearer ${makeToken('organization')}`],
    ['an expired key', `Bearer ${token('acme-expired')}`],
    ['an expired platform key', `Bearer ${token('platform-expired')}`],
  ] as const)('a header that is %s is 401', async ([, authorization]) => {
    const headers = authorization === undefined ? {} : { authorization }
    for (const [host, url] of [
      ['platform.localhost', '/api/v1/landlord/list'],
      ['platform.localhost', '/api/v1/landlord/health'],
      ['platform.localhost', '/api/events'],
      ['members.acme.example', '/api/events'],
      ['members.acme.example', '/api/v1/health'],
    ] as const)
      expectRefusal(await send(host, url, { headers }), 401)
  })

  test('an expired key is told so, and one that is about to expire works until then', async () => {
    expectRefusal(
      await send('members.acme.example', '/api/events', { key: token('acme-expired') }),
      401,
      /expired/,
    )
    const before = now
    await applyTestPlatform(
      database,
      `tenants: [{ slug: acme, name: Acme <Daily>, domain: members.acme.example, keys: [{ name: soon, token: ${token('acme-soon')}, expires_at: "2026-05-01T12:00:05Z" }] }]`,
    )
    now = Date.parse('2026-05-01T12:00:04.999Z')
    expect((await send('members.acme.example', '/api/events', { key: token('acme-soon') })).statusCode).toBe(
      200,
    )
    now += 1
    expectRefusal(
      await send('members.acme.example', '/api/events', { key: token('acme-soon') }),
      401,
      /expired/,
    )
    now = before
  })

  test.for(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('the scheme may be written %j', async scheme => {
    const headers = { authorization: `${scheme} ${token('acme')}` }
    expect((await send('members.acme.example', '/api/events', { headers })).statusCode).toBe(200)
  })

  test.for([
    ['an organization key', 'acme', 401, /Organization keys/],
    ["an organization key of an operator's", 'acme-operator', 401, /Organization keys/],
    ['a platform key without the ability', 'platform-reader', 403, /admin:read/],
    ['a platform key', 'monitor', 200, undefined],
  ] as const)('on a landlord route %s: %i', async ([, key, status, message]) => {
    const answer = await send('platform.localhost', '/api/v1/landlord/list', { key: token(key) })
    if (message) expectRefusal(answer, status, message)
    else expect(answer.statusCode).toBe(status)
  })

  test('a key names its tenant on the platform host, and belongs to it on all of its hosts', async () => {
    for (const [host, site] of [
      ['platform.localhost', 'platform'],
      ['members.acme.example', 'tenant'],
      ['accounts.acme.example', 'tenant'],
      ['acme.platform.localhost', 'tenant'],
    ] as const)
      for (const method of ['GET', 'DELETE'] as const)
        expect((await send(host, '/api/events', { method, key: token('acme') })).json()).toEqual({
          tenant: 'acme',
          key: 'consumer',
          site,
        })
  })

  test("a key of another tenant is 403 at a tenant's host", async () => {
    expectRefusal(
      await send('members.acme.example', '/api/events', { key: token('globe') }),
      403,
      /another tenant/,
    )
  })

  test.for([
    ['is staff here too', 'acme-both'],
    ['is a super admin', 'acme-operator'],
  ])('a key of another tenant whose user %s opens the tenant that the host names', async ([, key = '']) => {
    const answer = await send('globe.example', '/api/events', { key: token(key) })
    expect(answer.json()).toMatchObject({ tenant: 'globe' })
    expect((await send('platform.localhost', '/api/events', { key: token(key) })).json()).toMatchObject({
      tenant: 'acme',
    })
  })

  test("an operator's key opens every tenant at its own hosts, and names none on the platform host", async () => {
    for (const [host, tenant] of [
      ['members.acme.example', 'acme'],
      ['globe.example', 'globe'],
    ] as const)
      expect((await send(host, '/api/events', { key: token('monitor') })).json()).toMatchObject({ tenant })
    expectRefusal(
      await send('platform.localhost', '/api/events', { key: token('monitor') }),
      422,
      /tenant's domain/,
    )
    expect(
      (await send('platform.localhost', '/api/events', { key: token('acme-operator') })).json(),
    ).toMatchObject({ tenant: 'acme' })
  })

  test('a key without the ability is 403 and names what it lacks', async () => {
    for (const host of ['platform.localhost', 'members.acme.example'])
      expectRefusal(await send(host, '/api/events', { key: token('acme-reader') }), 403, /events:delete/)
  })

  test('a key of a suspended tenant is 403 everywhere', async () => {
    for (const host of ['platform.localhost', 'gone.example', 'alias.gone.example'])
      expectRefusal(await send(host, '/api/events', { key: token('gone') }), 403, /suspended/)
  })

  test('a key whose user left the staff is 403, and of an operator who is none any more unknown', async () => {
    await applyTestPlatform(
      database,
      `operators: [left@example.com]
platform_keys: [{ name: left, operator: left@example.com, token: ${token('platform-left')} }]
tenants:
  - slug: left
    name: Left
    domain: left.example
    staff: [{ email: left@left.example, role: administrator }]
    keys: [{ name: left, token: ${token('left')} }]`,
    )
    const all = async () =>
      Promise.all([
        send('left.example', '/api/events', { key: token('left') }),
        send('platform.localhost', '/api/v1/landlord/list', { key: token('platform-left') }),
      ])
    expect((await all()).map(({ statusCode }) => statusCode)).toEqual([200, 200])
    await database.pool.query(
      `delete from tenant_staff where user_id = (select id from staff_users where email = 'left@left.example')`,
    )
    await database.pool.query(`update staff_users set operator = false where email = 'left@example.com'`)
    await expect
      .poll(async () => (await all()).map(({ statusCode }) => statusCode), { timeout: 5_000 })
      .toEqual([403, 401])
  })
})

describe('what changes shows at once (the clock stands still, so nothing grows old)', () => {
  const actor = { kind: 'system', name: 'test' } as const

  test('a revoked key', async () => {
    await applyTestPlatform(
      database,
      `tenants:
  - slug: revoked
    name: Revoked
    domain: revoked.example
    staff: [{ email: a@revoked.example, role: administrator }]
    keys: [{ name: k, token: ${token('revoked')} }]`,
    )
    const status = async () =>
      (await send('revoked.example', '/api/events', { key: token('revoked') })).statusCode
    await expect.poll(status).toBe(200)
    const tenantId = (await findTenantBySlug(database.db, 'revoked'))?.id ?? ''
    expect(await revokeKey(database.db, tenantId, { name: 'k', actor, now: new Date() })).toBe(true)
    await expect.poll(status, { timeout: 5_000 }).toBe(401)
  })

  test('a host that was unknown, a suspension and its end', async () => {
    const status = async () => (await send('later.example', '/collect')).statusCode
    expect(await status()).toBe(404)
    await applyTestPlatform(database, 'tenants: [{ slug: later, name: Later, domain: later.example }]')
    await expect.poll(status, { timeout: 5_000 }).toBe(200)
    for (const [suspend, expected] of [
      [true, 403],
      [false, 200],
    ] as const) {
      await suspendTenant(database.db, { slug: 'later', suspend, actor, now: new Date() })
      await expect.poll(status, { timeout: 5_000 }).toBe(expected)
    }
  })

  test('also when the connection that tells of changes was lost meanwhile', async () => {
    const status = async () => (await send('lost.example', '/collect')).statusCode
    expect(await status()).toBe(404)
    await proxy.cut()
    await applyTestPlatform(database, 'tenants: [{ slug: lost, name: Lost, domain: lost.example }]')
    await proxy.restore()
    await expect.poll(status, { timeout: 15_000 }).toBe(200)
  })
})

describe('while the database is away (threats, "Faults")', () => {
  const health = (host: string, key?: string) =>
    send(host, '/api/v1/health', key === undefined ? {} : { key })

  test('known hosts serve, known keys open the health routes for ten minutes, and nothing hangs', async () => {
    const events = () => send('members.acme.example', '/api/events', { key: token('acme') })
    await expect.poll(async () => (await events()).statusCode, { timeout: 15_000 }).toBe(200)
    expect((await health('platform.localhost', token('acme'))).json()).toEqual({ tenant: 'acme' })
    const landlord = (key: string) => send('platform.localhost', '/api/v1/landlord/health', { key })
    expect((await landlord(token('monitor'))).json()).toEqual({ unchecked: false })

    await proxy.cut()
    now += 61_000
    expect((await send('members.acme.example', '/collect')).json()).toEqual({ tenant: 'acme' })
    expectRefusal(await events(), 503)
    expect((await events()).headers['retry-after']).toBe('1')
    for (const host of ['platform.localhost', 'members.acme.example'])
      expect((await health(host, token('acme'))).json()).toEqual({ tenant: 'acme' })
    expect((await landlord(token('monitor'))).json()).toEqual({ unchecked: false })
    expectRefusal(await landlord(token('acme')), 401)

    // Keys that nobody can check now, at known and unknown hosts.
    for (const host of ['platform.localhost', 'members.acme.example', 'never-seen.example']) {
      expect((await health(host, 'a-key-that-was-never-seen-before-at-all')).json()).toEqual({
        unchecked: true,
      })
      expectRefusal(await health(host), 401)
      expectRefusal(await health(host, `${makeToken('organization')}x`), 401)
    }
    expect((await landlord('a-key-that-was-never-seen-before-at-all')).json()).toEqual({ unchecked: true })
    expectRefusal(await send('never-seen.example', '/collect'), 503)
    expect((await send('nobody.example', '/livez')).statusCode).toBe(200)

    now += 9 * 60_000
    expect((await health('platform.localhost', token('acme'))).json()).toEqual({ unchecked: true })
    expect((await send('members.acme.example', '/collect')).json()).toEqual({ tenant: 'acme' })

    await proxy.restore()
    now += 1_000
    await expect.poll(async () => (await events()).statusCode, { timeout: 15_000 }).toBe(200)
  })

  test.for(['hangs', 'is lost without a word'] as const)(
    'it answers in time when the database %s',
    async how => {
      const events = () => send('members.acme.example', '/api/events', { key: token('acme') })
      expect((await events()).statusCode).toBe(200)
      if (how === 'hangs') proxy.freeze()
      else proxy.strand()
      now += 61_000
      const begun = performance.now()
      expect((await health('members.acme.example', token('acme'))).json()).toEqual({ tenant: 'acme' })
      expectRefusal(await events(), 503)
      expect(performance.now() - begun).toBeLessThan(1_500)
      if (how === 'hangs') await proxy.restore()
      const recovered = async () => {
        now += 1_000
        return (await events()).statusCode
      }
      await expect.poll(recovered, { timeout: 15_000, interval: 200 }).toBe(200)
    },
  )
})

describe('a route with a configuration that cannot be meant is refused when it is made', () => {
  test.for([
    ['an API route without an ability', '/api/x', { site: 'api' }],
    ['an ability that nothing checks', '/x', { site: 'tenant', ability: 'events:read' }],
    ['an operator route elsewhere', '/x', { site: 'api', operator: true, ability: 'admin:read' }],
    ['a landlord route for everyone', '/api/v1/landlord/x', { site: 'platform' }],
    ['a health route without a key', '/x', { site: 'any', health: true }],
    ['a page of the API', '/x', { site: 'api', ability: 'events:read', page: true }],
  ] as const)('%s', async ([, url, config]) => {
    const making = buildEdgeApp(tenancy, 'http://platform.localhost', app => {
      app.get(url, { config }, async () => '')
    })
    await expect(making).rejects.toThrow(/^The route .+\.$/)
  })
})
