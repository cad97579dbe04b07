import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createOAuthPlatform, hostOf, type OAuthPlatform } from '../../testing/oauth-platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/social/openid-provider.ts'
import { callbackOf } from '../../testing/social/social-platform.ts'
import { tokens } from '../../testing/whole-platform.ts'

let platform: OAuthPlatform
let provider: OpenIdProvider
beforeAll(async () => {
  provider = await startOpenIdProvider({ redirectUris: [callbackOf('staff')] })
  platform = await createOAuthPlatform()
})
afterEach(() => provider.behave())
afterAll(async () => {
  await platform?.close()
  await provider?.close()
})

const path = '/api/v1/social-providers'
const type = 'application/vnd.api+json'
type Attributes = Record<string, unknown>
const get = (url = path, slug: 'acme' | 'globe' = 'acme') =>
  platform.request(hostOf(slug), { url, key: tokens[slug] })
const send = (
  method: 'POST' | 'PATCH' | 'DELETE',
  url: string,
  data?: { id?: string; attributes?: Attributes },
) =>
  platform.request(hostOf(), {
    method,
    url,
    key: tokens.acme,
    ...(data && {
      payload: JSON.stringify({ data: { type: 'social-providers', ...data } }),
      headers: { 'content-type': type },
    }),
  })
const attributes = (more: Attributes = {}): Attributes => ({
  provider: 'oidc',
  name: 'Staff',
  issuer: provider.issuer,
  client_id: 'usher',
  client_secret: provider.clientSecret,
  ...more,
})
let count = 0
async function make(more: Attributes = {}): Promise<string> {
  const id = `staff-${++count}`
  const made = await send('POST', path, { id, attributes: attributes(more) })
  expect([made.statusCode, made.body]).toEqual([201, expect.any(String)])
  return id
}
async function audited(target: string): Promise<unknown[]> {
  const { rows } = await platform.database.pool.query(
    'select action, actor_name, details from audit_entries where target = $1 order by id',
    [target],
  )
  return rows
}
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
const errorsOf = (answer: { json(): { errors?: Record<string, string[]> } }) => answer.json().errors

describe('a social provider of a tenant', () => {
  test('is made, shown without its secret, listed, and written down', async () => {
    const made = await send('POST', path, { id: 'staff', attributes: attributes() })
    const shown = {
      provider: 'oidc',
      name: 'Staff',
      issuer: provider.issuer,
      client_id: 'usher',
      enabled: true,
      redirect_uri: callbackOf('staff'),
      created_at: time,
      updated_at: time,
      secret_changed_at: time,
    }
    const data = { id: 'staff', type: 'social-providers', attributes: shown }
    expect([made.statusCode, made.headers.location, made.headers['content-type'], made.json()]).toEqual([
      201,
      `${path}/staff`,
      type,
      { data },
    ])
    expect((await get(`${path}/staff`)).json()).toEqual({ data })
    expect((await get()).json()).toEqual({ data: [data] })
    expect((await get(path, 'globe')).json()).toEqual({ data: [] })
    expect((await get(`${path}/staff`, 'globe')).statusCode).toBe(404)
    const details = {
      provider: 'oidc',
      name: 'Staff',
      issuer: provider.issuer,
      client_id: 'usher',
      enabled: true,
    }
    expect(await audited('staff')).toEqual([
      { action: 'social_provider.created', actor_name: 'consumer', details },
    ])
    const { rows } = await platform.database.pool.query('select p::text from social_providers p')
    expect(JSON.stringify(rows)).not.toContain(provider.clientSecret)
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(provider.clientSecret).toString('hex'))
  })

  test('with ready settings needs no more than the client', async () => {
    const made = []
    for (const kind of ['google', 'microsoft', 'github'])
      made.push(
        await send('POST', path, {
          attributes: { provider: kind, client_id: 'x', client_secret: 'y', enabled: false },
        }),
      )
    expect(
      made.map(answer => [answer.statusCode, answer.json().data.id, answer.json().data.attributes.name]),
    ).toEqual([
      [201, 'google', 'Google'],
      [201, 'microsoft', 'Microsoft'],
      [201, 'github', 'GitHub'],
    ])
    const again = await send('POST', path, {
      attributes: { provider: 'google', client_id: 'x', client_secret: 'y', enabled: false },
    })
    expect(again.json().data.id).toBe('google-2')
  })

  test('is changed in what is sent alone', async () => {
    const id = await make()
    const before = (await get(`${path}/${id}`)).json().data.attributes
    const answer = await send('PATCH', `${path}/${id}`, { attributes: { name: 'Crew' } })
    expect([answer.statusCode, answer.json().data.attributes]).toEqual([
      200,
      { ...before, name: 'Crew', updated_at: time },
    ])
    expect(await audited(id)).toMatchObject([
      { action: 'social_provider.created' },
      { action: 'social_provider.changed', details: { name: { from: 'Staff', to: 'Crew' } } },
    ])
    // The same secret once more is no change.
    await send('PATCH', `${path}/${id}`, { attributes: { client_secret: provider.clientSecret } })
    expect(await audited(id)).toHaveLength(2)
  })

  test('is removed', async () => {
    const id = await make()
    expect((await send('DELETE', `${path}/${id}`)).statusCode).toBe(204)
    expect((await send('DELETE', `${path}/${id}`)).statusCode).toBe(404)
    expect((await get(`${path}/${id}`)).statusCode).toBe(404)
    expect((await audited(id)).at(-1)).toMatchObject({ action: 'social_provider.removed' })
  })

  test('is not turned off or removed while it is the only way in', async () => {
    const { pool } = platform.database
    await pool.query('delete from social_providers')
    const id = await make()
    await pool.query(`update tenants set login_methods = '{}' where slug = 'acme'`)
    const turnOff = async () =>
      (await send('PATCH', `${path}/${id}`, { attributes: { enabled: false } })).statusCode
    await expect.poll(turnOff).toBe(409)
    expect((await send('DELETE', `${path}/${id}`)).statusCode).toBe(409)
    const second = await make()
    expect((await send('DELETE', `${path}/${id}`)).statusCode).toBe(204)
    await pool.query(`update tenants set login_methods = '{magic_link}' where slug = 'acme'`)
    await expect.poll(async () => (await send('DELETE', `${path}/${second}`)).statusCode).toBe(204)
  })

  test.for([
    ['no provider', { provider: undefined }, 'provider', 'provider is missing.'],
    ['no name', { name: undefined }, 'name', 'name must be 1 to 100 characters'],
    ['no issuer', { issuer: undefined }, 'issuer', 'issuer must be an https address.'],
    ['no client_id', { client_id: undefined }, 'client_id', 'client_id must be 1 to 512 visible'],
    ['no secret', { client_secret: undefined }, 'client_secret', 'client_secret is missing.'],
    ['a query', { issuer: 'https://idp.example/?a=1' }, 'issuer', 'without a query'],
    ['a user', { issuer: 'https://a:b@idp.example' }, 'issuer', 'must not hold a user'],
    [
      'its document',
      { issuer: 'https://idp.example/.well-known/openid-configuration' },
      'issuer',
      'must be the issuer alone',
    ],
    ['a file', { issuer: 'file:///etc/passwd' }, 'issuer', 'must be an https address'],
    ['a key', { private_key: 'x' }, 'private_key', 'private_key is of Apple alone'],
    ['another field', { scope: 'x' }, 'scope', 'scope is no attribute that can be set.'],
  ] as const)('with %s is refused', async ([, more, field, message]) => {
    const answer = await send('POST', path, { attributes: attributes(more) })
    expect([answer.statusCode, errorsOf(answer)?.[field]]).toEqual([422, [expect.stringContaining(message)]])
  })

  test.for([['Staff'], [''], ['a b'], ['../x'], ['x'.repeat(41)]])(
    'cannot have the id "%s"',
    async ([id]) => {
      const answer = await send('POST', path, { ...(id !== undefined && { id }), attributes: attributes() })
      expect([answer.statusCode, errorsOf(answer)?.id]).toEqual([
        422,
        [expect.stringContaining('id must be 1 to 40')],
      ])
    },
  )

  test('never changes its id or its kind', async () => {
    const id = await make()
    expect((await send('POST', path, { id, attributes: attributes() })).statusCode).toBe(409)
    expect((await send('PATCH', `${path}/${id}`, { id: 'other' })).statusCode).toBe(409)
    expect((await send('PATCH', `${path}/${id}`, { attributes: { provider: 'google' } })).statusCode).toBe(
      422,
    )
  })
})
