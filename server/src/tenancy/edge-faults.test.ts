import { describe, expect, test } from 'vitest'
import { applyTestPlatform } from '../testing/platform.ts'
import { expectRefusal, type TestEdge, token, useTestEdge } from '../testing/use-test-edge.ts'
import { makeToken } from './key-token.ts'
import { revokeKey } from './revoke-key.ts'
import { suspendTenant } from './suspend-tenant.ts'
import { findTenantBySlug } from './tenants.store.ts'

const edge = useTestEdge()
const send: TestEdge['send'] = (...request) => edge.send(...request)

describe('what changes shows at once (the clock stands still, so nothing grows old)', () => {
  const actor = { kind: 'system', name: 'test' } as const

  test('a revoked key', async () => {
    await applyTestPlatform(
      edge.database,
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
    const tenantId = (await findTenantBySlug(edge.database.db, 'revoked'))?.id ?? ''
    expect(await revokeKey(edge.database.db, tenantId, { name: 'k', actor, now: new Date() })).toBe(true)
    await expect.poll(status, { timeout: 5_000 }).toBe(401)
  })

  test('a host that was unknown, a suspension and its end', async () => {
    const status = async () => (await send('later.example', '/collect')).statusCode
    expect(await status()).toBe(404)
    await applyTestPlatform(edge.database, 'tenants: [{ slug: later, name: Later, domain: later.example }]')
    await expect.poll(status, { timeout: 5_000 }).toBe(200)
    for (const [suspend, expected] of [
      [true, 403],
      [false, 200],
    ] as const) {
      await suspendTenant(edge.database.db, { slug: 'later', suspend, actor, now: new Date() })
      await expect.poll(status, { timeout: 5_000 }).toBe(expected)
    }
  })

  test('also when the connection that tells of changes was lost meanwhile', async () => {
    const status = async () => (await send('lost.example', '/collect')).statusCode
    expect(await status()).toBe(404)
    await edge.proxy.cut()
    await applyTestPlatform(edge.database, 'tenants: [{ slug: lost, name: Lost, domain: lost.example }]')
    await edge.proxy.restore()
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

    await edge.proxy.cut()
    edge.clock.nowMs += 61_000
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

    edge.clock.nowMs += 9 * 60_000
    expect((await health('platform.localhost', token('acme'))).json()).toEqual({ unchecked: true })
    expect((await send('members.acme.example', '/collect')).json()).toEqual({ tenant: 'acme' })

    await edge.proxy.restore()
    edge.clock.nowMs += 1_000
    await expect.poll(async () => (await events()).statusCode, { timeout: 15_000 }).toBe(200)
  })

  test.for(['hangs', 'is lost without a word'] as const)(
    'it answers in time when the database %s',
    async how => {
      const events = () => send('members.acme.example', '/api/events', { key: token('acme') })
      expect((await events()).statusCode).toBe(200)
      if (how === 'hangs') edge.proxy.freeze()
      else edge.proxy.strand()
      edge.clock.nowMs += 61_000
      const begun = performance.now()
      expect((await health('members.acme.example', token('acme'))).json()).toEqual({ tenant: 'acme' })
      expectRefusal(await events(), 503)
      expect(performance.now() - begun).toBeLessThan(1_500)
      if (how === 'hangs') await edge.proxy.restore()
      const recovered = async () => {
        edge.clock.nowMs += 1_000
        return (await events()).statusCode
      }
      await expect.poll(recovered, { timeout: 15_000, interval: 200 }).toBe(200)
    },
  )
})
