import { describe, expect, test } from 'vitest'
import { applyTestPlatform } from '../testing/platform.ts'
import { expectRefusal, type TestEdge, token, useTestEdge } from '../testing/use-test-edge.ts'
import { makeToken } from './key-token.ts'

const edge = useTestEdge()
const send: TestEdge['send'] = (...request) => edge.send(...request)

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
    const before = edge.clock.nowMs
    await applyTestPlatform(
      edge.database,
      `tenants: [{ slug: acme, name: Acme <Daily>, domain: members.acme.example, keys: [{ name: soon, token: ${token('acme-soon')}, expires_at: "2026-05-01T12:00:05Z" }] }]`,
    )
    edge.clock.nowMs = Date.parse('2026-05-01T12:00:04.999Z')
    expect((await send('members.acme.example', '/api/events', { key: token('acme-soon') })).statusCode).toBe(
      200,
    )
    edge.clock.nowMs += 1
    expectRefusal(
      await send('members.acme.example', '/api/events', { key: token('acme-soon') }),
      401,
      /expired/,
    )
    edge.clock.nowMs = before
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
      edge.database,
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
    await edge.database.pool.query(
      `delete from tenant_staff where user_id = (select id from staff_users where email = 'left@left.example')`,
    )
    await edge.database.pool.query(`update staff_users set operator = false where email = 'left@example.com'`)
    await expect
      .poll(async () => (await all()).map(({ statusCode }) => statusCode), { timeout: 5_000 })
      .toEqual([403, 401])
  })
})
