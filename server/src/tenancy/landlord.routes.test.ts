import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { buildEdgeApp, type EdgeApp } from '../testing/edge.ts'
import { applyTestPlatform, TEST_PLATFORM_HOST } from '../testing/platform.ts'
import { landlordRoutes } from './landlord.routes.ts'
import { openTenancy, type Tenancy } from './open-tenancy.ts'
import { suspendTenant } from './suspend-tenant.ts'

const TOKEN = 'monitor-token-of-32-characters-or-more'
let database: TestDatabase
let tenancy: Tenancy
let edge: EdgeApp

beforeAll(async () => {
  database = await createTestDatabase()
  const declare = (text: string, now: string) => applyTestPlatform(database, text, { now: new Date(now) })
  await declare(
    `operators: [ops@example.com]
platform_keys: [{ name: monitor, token: ${TOKEN} }]
tenants: [{ slug: zeta, name: "Zeta \\"Z\\" <b>", domain: members.zeta.example }]`,
    '2026-01-01T10:00:00.007+02:00',
  )
  await declare('tenants: [{ slug: acme, name: Acme, domain: acme.example }]', '2026-02-01T00:00:00Z')
  const actor = { kind: 'system', name: 'test' } as const
  await suspendTenant(database.db, { slug: 'acme', suspend: true, actor, now: new Date() })
  tenancy = openTenancy({
    databaseUrl: database.url,
    directUrl: database.url,
    platformHost: TEST_PLATFORM_HOST,
  })
  edge = await buildEdgeApp(tenancy, `http://${TEST_PLATFORM_HOST}`, async app => {
    await app.register(landlordRoutes({ db: database.db }))
  })
})
afterAll(async () => {
  await edge.app.close()
  await tenancy.close()
  await database.drop()
})

const url = '/api/v1/landlord/tenants'
const get = (query = '') => edge.send(TEST_PLATFORM_HOST, url + query, { key: TOKEN })

/** The attributes of the first tenant. */
const attributes = async (query: string) => (await get(query)).json().data[0].attributes

const zeta = {
  name: 'Zeta "Z" <b>',
  slug: 'zeta',
  domain: 'members.zeta.example',
  created_at: '2026-01-01T08:00:00.007+00:00',
}

describe('GET /api/v1/landlord/tenants (interface 4.2)', () => {
  test('answers every tenant, a suspended one too, oldest first, as JSON:API', async () => {
    const answer = await get()
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('application/vnd.api+json')
    const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(answer.json()).toEqual({
      data: [
        { id, type: 'tenants', attributes: zeta },
        {
          id,
          type: 'tenants',
          attributes: {
            name: 'Acme',
            slug: 'acme',
            domain: 'acme.example',
            created_at: '2026-02-01T00:00:00.000+00:00',
          },
        },
      ],
    })
  })

  test.for([
    ['?fields[tenants]=name', { name: zeta.name }],
    ['?fields%5Btenants%5D=slug,created_at', { slug: zeta.slug, created_at: zeta.created_at }],
    ['?fields%5btenants%5d=created_at%2Cname%2Cdomain%2Cslug', zeta],
    ['?fields[tenants]=', {}],
    ['?fields[tenants]', {}],
    ['?', zeta],
    ['?unknown=1&unknown=2&Include=x&fieldset=1&page_size=3', zeta],
    ['?__proto__=1&constructor[prototype]=2', zeta],
  ] as const)('with %s it answers the attributes %j', async ([query, expected]) => {
    expect(await attributes(query)).toEqual(expected)
  })

  test.for([
    ['?fields[tenants]=colour', 'fields[tenants]'],
    ['?fields[tenants]=name,colour', 'fields[tenants]'],
    ['?fields[tenants]=Name', 'fields[tenants]'],
    ['?fields[tenants]=name,', 'fields[tenants]'],
    ['?fields[tenants]=name,%20slug', 'fields[tenants]'],
    ['?fields[tenants]=name,name', 'fields[tenants]'],
    ['?fields[tenants]=name&fields[tenants]=slug', 'fields[tenants]'],
    ['?fields[tenants]=name&fields%5Btenants%5D=name', 'fields[tenants]'],
    ['?fields[tenants]=toString', 'fields[tenants]'],
    ['?fields[tenants]=%00', 'fields[tenants]'],
    ['?fields[tenants]=%ff', 'fields[tenants]'],
    ['?fields[tenants][]=name', 'fields[tenants][]'],
    ['?fields[users]=name', 'fields[users]'],
    ['?fields=name', 'fields'],
    ['?include=staff', 'include'],
    ['?sort=name', 'sort'],
    ['?filter[slug]=acme', 'filter[slug]'],
    ['?page[size]=1', 'page[size]'],
  ] as const)('with %s it is 400 and names the parameter', async ([query, parameter]) => {
    const answer = await get(query)
    expect(answer.statusCode).toBe(400)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json()).toEqual({
      message: expect.any(String),
      errors: { [parameter]: [answer.json().message] },
    })
  })

  test.for([
    [`?fields[tenants]=${'x'.repeat(5_000)}`, 'fields[tenants]'],
    [`?fields[tenants]=${encodeURIComponent('😀'.repeat(500))}`, 'fields[tenants]'],
    [`?page[${'x'.repeat(5_000)}]=1`, `page[${'x'.repeat(35)}…`],
  ] as const)('quotes no more than a few words of what it does not know', async ([query, parameter]) => {
    const { message, errors } = (await get(query)).json()
    expect(message.length).toBeLessThan(150)
    expect(message).toContain('…')
    expect(message.isWellFormed()).toBe(true)
    expect(errors).toEqual({ [parameter]: [message] })
  })

  test('is 401 without a key, as application/json, and 404 elsewhere', async () => {
    const answer = await edge.send(TEST_PLATFORM_HOST, url)
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(answer.json()).toEqual({ message: expect.any(String) })
    for (const host of ['members.zeta.example', 'nobody.example', 'localhost'])
      expect((await edge.send(host, url, { key: TOKEN })).statusCode).toBe(404)
  })
})
