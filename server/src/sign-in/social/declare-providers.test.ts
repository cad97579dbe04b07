import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Applied } from '../../tenancy/index.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { applyTestPlatform, testHooks } from '../../testing/platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/social/openid-provider.ts'
import { listProviders } from './social-providers.store.ts'

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

const apply = (
  slug: string,
  social: object[] | undefined,
  more: object = {},
  { tryAll = false, hooks = testHooks() } = {},
): Promise<Applied> =>
  applyTestPlatform(
    database,
    // JSON is YAML.
    JSON.stringify(
      { tenants: [{ slug, name: 'Acme', domain: `${slug}.example`, ...(social && { social }), ...more }] },
      undefined,
      1,
    ),
    { hooks, tryAll },
  )
const staff = (more: object = {}) => ({
  provider: 'oidc',
  name: 'Staff',
  issuer: provider.issuer,
  client_id: 'usher',
  client_secret: provider.clientSecret,
  ...more,
})
async function stored(slug: string) {
  const { rows } = await database.pool.query('select id from tenants where slug = $1', [slug])
  return rows[0] ? listProviders(database.db, rows[0].id) : []
}
async function audited(slug: string): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select action, target from audit_entries a join tenants t on t.id = a.tenant_id
     where slug = $1 and action like 'social_provider.%' order by a.id`,
    [slug],
  )
  return rows
}

describe('social providers of the platform file (decisions, "First start, and configuration")', () => {
  test('are added, with an id of their kind or their name, after they were tried', async () => {
    const google = { provider: 'google', client_id: 'x', client_secret: 'y', enabled: false }
    const added = (id: string) =>
      `tenant added: social provider ${id} added, redirect URI to register with the provider: http://added.example/sign-in/social/${id}/callback`
    const first = await apply('added', [google, staff()])
    expect(first.changes).toEqual(expect.arrayContaining([added('google'), added('staff')]))
    expect(await stored('added')).toMatchObject([
      { id: 'google', name: 'Google', issuer: 'https://accounts.google.com', enabled: false },
      { id: 'staff', kind: 'oidc', name: 'Staff', clientId: 'usher', enabled: true },
    ])
    expect(provider.requests).toEqual(['GET /.well-known/openid-configuration', 'POST /token'])
    // Nothing is new, so nobody is asked.
    const again = await apply('added', [google, staff()])
    expect([again.changes, again.notices, provider.requests.length]).toEqual([[], [], 2])
    expect(await audited('added')).toHaveLength(2)
  })

  test('are changed, and those that are not named stay', async () => {
    await apply('changed', [staff(), staff({ id: 'second', name: 'Second' })])
    const { changes } = await apply('changed', [
      staff({ id: 'staff', name: 'Crew', client_secret: undefined }),
    ])
    expect(changes).toEqual(['tenant changed: social provider staff changed'])
    expect((await stored('changed')).map(({ id, name }) => [id, name])).toEqual([
      ['staff', 'Crew'],
      ['second', 'Second'],
    ])
    // Whoever takes an issuer away has to be asked again.
    provider.misbehave(
      '/token',
      (_request, response) =>
        void response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}'),
    )
    const secret = await apply('changed', [staff({ id: 'staff', name: 'Crew', client_secret: 'another' })])
    expect(secret.changes).toEqual(['tenant changed: social provider staff has another secret'])
    expect((await audited('changed')).at(-1)).toEqual({
      action: 'social_provider.secret_changed',
      target: 'staff',
    })
  })

  test('that are away are a notice, and the file is applied', async () => {
    const { changes, notices } = await apply('away', [staff({ issuer: 'http://127.0.0.1:9' })])
    expect(changes).toContainEqual(expect.stringMatching(/^tenant away: social provider staff added,/))
    expect(notices).toEqual([
      'tenants[0].social[0]: 127.0.0.1:9 cannot be reached. It was not tried whether its settings are right. Members may meet an error until it answers; run `usher apply` again then.',
    ])
  })

  test('are offered in the order in which they stand in the file, and later ones after them', async () => {
    const off = (id: string) => ({ provider: 'oidc', id, name: id, issuer: provider.issuer, enabled: false })
    const client = { client_id: 'usher', client_secret: 'x' }
    const named = (...ids: string[]) => ids.map(id => ({ ...off(id), ...client }))
    await apply('ordered', named('zeta', 'alpha', 'mid'))
    await apply('ordered', named('beta', 'zeta', 'aaa'))
    expect((await stored('ordered')).map(({ id }) => id)).toEqual(['zeta', 'alpha', 'mid', 'beta', 'aaa'])
  })

  test.for([
    [
      'a wrong secret',
      () => [staff({ client_secret: 'wrong' })],
      /social\[0\]\.client_secret was refused by Staff \(invalid_client\)/,
    ],
    [
      'a wrong issuer',
      () => [staff({ issuer: `${provider.issuer}/x` })],
      /social\[0\]\.issuer has no discovery document/,
    ],
    ['no issuer', () => [staff({ issuer: undefined })], /social\[0\]\.issuer is missing/],
    ['no name', () => [staff({ name: undefined, id: 'x' })], /social\[0\]\.name is missing/],
    [
      'a long name',
      () => [staff({ name: 'x'.repeat(101) })],
      /social\[0\]\.name must be 1 to 100 characters/,
    ],
    ['a name with a line break', () => [staff({ name: 'a\u0085b' })], /social\[0\]\.name must be 1 to 100/],
    ['no secret', () => [staff({ client_secret: undefined })], /social\[0\]\.client_secret is missing/],
    ['a name that gives no id', () => [staff({ name: '!' })], /social\[0\]\.id must be 1 to 40/],
    ['one id twice', () => [staff(), staff()], /social\[1\] is another one with the id staff/],
    [
      'a kind that there is not',
      () => [{ provider: 'myspace', client_id: 'x' }],
      /social\[0\]\.provider must be one of google, apple/,
    ],
    ['an unknown field', () => [staff({ scope: 'x' })], /social\[0\]\.scope is an unknown field/],
    [
      "Apple's terms for another",
      () => [staff({ team_id: 'TEAM012345' })],
      /social\[0\]\.team_id is of Apple alone/,
    ],
    [
      'a key that is none',
      () => [
        {
          provider: 'apple',
          client_id: 'x',
          team_id: 'TEAM012345',
          key_id: 'KEY0123456',
          private_key: '-----BEGIN PRIVATE KEY-----\nx',
        },
      ],
      /social\[0\]\.private_key must be the text of the \.p8 file/,
    ],
  ] as const)(
    'with %s are refused with their line, and nothing is changed',
    async ([, social, message], { task }) => {
      const slug = `refused-${task.id.replaceAll(/\D/g, '')}`.slice(0, 60).replace(/-$/, '')
      await expect(apply(slug, social())).rejects.toThrow(message)
      await expect(apply(slug, social())).rejects.toThrow(/^platform\.yaml:\d+: /)
      expect(await stored(slug)).toEqual([])
    },
  )

  test('cannot become another kind', async () => {
    await apply('kinds', [staff()])
    const google = { provider: 'google', id: 'staff', client_id: 'x', client_secret: 'y' }
    await expect(apply('kinds', [google])).rejects.toThrow(
      /social\[0\]\.provider is oidc for the provider staff/,
    )
  })

  test('may be the only way in, but one of them has to be there', async () => {
    const none = { login_methods: [] }
    await expect(apply('only', undefined, none)).rejects.toThrow(
      /login_methods leaves members no way to sign in: there is no social provider that is enabled/,
    )
    await apply('only', [staff()], none)
    await expect(apply('only', [staff({ enabled: false })])).rejects.toThrow(/social leaves members no way/)
    expect(await stored('only')).toMatchObject([{ enabled: true }])
  })
})
