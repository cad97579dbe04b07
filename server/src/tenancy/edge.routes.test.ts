import { describe, expect, test } from 'vitest'
import { buildEdgeApp } from '../testing/edge.ts'
import { expectRefusal, type TestEdge, token, useTestEdge } from '../testing/use-test-edge.ts'

const edge = useTestEdge()
const send: TestEdge['send'] = (...request) => edge.send(...request)

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

describe('a route with a configuration that cannot be meant is refused when it is made', () => {
  test.for([
    ['an API route without an ability', '/api/x', { site: 'api' }],
    ['an ability that nothing checks', '/x', { site: 'tenant', ability: 'events:read' }],
    ['an operator route elsewhere', '/x', { site: 'api', operator: true, ability: 'admin:read' }],
    ['a landlord route for everyone', '/api/v1/landlord/x', { site: 'platform' }],
    ['a health route without a key', '/x', { site: 'any', health: true }],
    ['a page of the API', '/x', { site: 'api', ability: 'events:read', page: true }],
  ] as const)('%s', async ([, url, config]) => {
    const making = buildEdgeApp(edge.tenancy, 'http://platform.localhost', app => {
      app.get(url, { config }, async () => '')
    })
    await expect(making).rejects.toThrow(/^The route .+\.$/)
  })
})
