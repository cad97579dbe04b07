import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Applied } from '../../tenancy/index.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { applyTestPlatform, testHooks } from '../../testing/platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/social/openid-provider.ts'

let database: TestDatabase
let provider: OpenIdProvider
beforeAll(async () => {
  database = await createTestDatabase()
  provider = await startOpenIdProvider({ redirectUris: ['http://x.example/sign-in/social/staff/callback'] })
})
afterEach(() => provider.behave())
afterAll(async () => {
  await provider?.close()
  await database?.drop()
})

/** Applies a file with one provider, as `usher apply` does. */
function apply(slug: string, more: object = {}, hooks = testHooks()): Promise<Applied> {
  const staff = {
    id: 'staff',
    provider: 'oidc',
    name: 'Staff',
    issuer: provider.issuer,
    client_id: 'usher',
    client_secret: provider.clientSecret,
    ...more,
  }
  const tenant = { slug, name: 'Acme', domain: `${slug}.example`, social: [staff] }
  return applyTestPlatform(database, JSON.stringify({ tenants: [tenant] }), { hooks, tryAll: true })
}

const away = () => {
  for (const path of ['/.well-known/openid-configuration', '/token'])
    provider.misbehave(path, (_request, response) => void response.destroy())
}
const refusing = () =>
  provider.misbehave(
    '/token',
    (_request, response) =>
      void response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}'),
  )
const refused =
  'tenants[0].social[0]: client_secret was refused by Staff (invalid_client); compare it and client_id with what Staff shows.'

describe('a file that is applied again with `usher apply`', () => {
  test('tries again a provider that was away, until it answers', async () => {
    away()
    const first = await apply('later')
    expect([first.changes.length > 0, first.notices]).toEqual([
      true,
      [expect.stringMatching(/cannot be reached.*run `usher apply` again then\.$/)],
    ])
    expect((await apply('later')).notices).toEqual(first.notices)
    provider.behave()
    const again = await apply('later')
    expect([again.changes, again.notices]).toEqual([[], []])
    expect(provider.requests.slice(-2)).toEqual(['GET /.well-known/openid-configuration', 'POST /token'])
  })

  test('tells what is wrong with one that was saved untried, and applies the rest', async () => {
    away()
    await apply('wrong', { client_secret: 'w'.repeat(32) })
    provider.behave()
    const { changes, notices } = await apply('wrong', { client_secret: 'w'.repeat(32), name: 'Crew' })
    expect(changes).toEqual(['tenant wrong: social provider staff changed'])
    expect(notices).toEqual([refused.replaceAll('Staff', 'Crew')])
  })

  test('tells of a secret that the provider has changed, and of none that nobody is offered', async () => {
    await apply('changed')
    refusing()
    expect((await apply('changed')).notices).toEqual([refused])
    expect((await apply('changed', { enabled: false })).notices).toEqual([])
  })

  test('tells of a secret that cannot be opened any more', async () => {
    await apply('sealed')
    const { notices } = await apply('sealed', { client_secret: undefined }, testHooks([Buffer.alloc(32, 7)]))
    expect(notices).toEqual([
      'tenants[0].social[0]: client_secret cannot be opened any more, as USHER_SECRET_KEY is another; declare it.',
    ])
  })
})
