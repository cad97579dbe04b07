import { describe, expect, test } from 'vitest'
import { callbackOf } from '../../testing/social/social-platform.ts'
import { providersPath, providersType, useProviderAdmin } from '../../testing/social/use-provider-admin.ts'

const shared = useProviderAdmin()

async function audited(target: string): Promise<unknown[]> {
  const { rows } = await shared.platform.database.pool.query(
    'select action, actor_name, details from audit_entries where target = $1 order by id',
    [target],
  )
  return rows
}
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
const errorsOf = (answer: { json(): { errors?: Record<string, string[]> } }) => answer.json().errors

describe('a social provider of a tenant', () => {
  test('is made, shown without its secret, listed, and written down', async () => {
    const made = await shared.send('POST', '', { id: 'staff', attributes: shared.attributes() })
    const shown = {
      provider: 'oidc',
      name: 'Staff',
      issuer: shared.provider.issuer,
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
      `${providersPath}/staff`,
      providersType,
      { data },
    ])
    expect((await shared.get('/staff')).json()).toEqual({ data })
    expect((await shared.get()).json()).toEqual({ data: [data] })
    expect((await shared.get('', 'globe')).json()).toEqual({ data: [] })
    expect((await shared.get('/staff', 'globe')).statusCode).toBe(404)
    const details = {
      provider: 'oidc',
      name: 'Staff',
      issuer: shared.provider.issuer,
      client_id: 'usher',
      enabled: true,
    }
    expect(await audited('staff')).toEqual([
      { action: 'social_provider.created', actor_name: 'consumer', details },
    ])
    const { rows } = await shared.platform.database.pool.query('select p::text from social_providers p')
    expect(JSON.stringify(rows)).not.toContain(shared.provider.clientSecret)
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(shared.provider.clientSecret).toString('hex'))
  })

  test('with ready settings needs no more than the client', async () => {
    const made = []
    for (const kind of ['google', 'microsoft', 'github'])
      made.push(
        await shared.send('POST', '', {
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
    const again = await shared.send('POST', '', {
      attributes: { provider: 'google', client_id: 'x', client_secret: 'y', enabled: false },
    })
    expect(again.json().data.id).toBe('google-2')
  })

  test('is changed in what is sent alone', async () => {
    const id = await shared.make()
    const before = (await shared.get(`/${id}`)).json().data.attributes
    const answer = await shared.send('PATCH', `/${id}`, { attributes: { name: 'Crew' } })
    expect([answer.statusCode, answer.json().data.attributes]).toEqual([
      200,
      { ...before, name: 'Crew', updated_at: time },
    ])
    expect(await audited(id)).toMatchObject([
      { action: 'social_provider.created' },
      { action: 'social_provider.changed', details: { name: { from: 'Staff', to: 'Crew' } } },
    ])
    // The same secret once more is no change.
    await shared.send('PATCH', `/${id}`, { attributes: { client_secret: shared.provider.clientSecret } })
    expect(await audited(id)).toHaveLength(2)
  })

  test('is removed', async () => {
    const id = await shared.make()
    expect((await shared.send('DELETE', `/${id}`)).statusCode).toBe(204)
    expect((await shared.send('DELETE', `/${id}`)).statusCode).toBe(404)
    expect((await shared.get(`/${id}`)).statusCode).toBe(404)
    expect((await audited(id)).at(-1)).toMatchObject({ action: 'social_provider.removed' })
  })

  test('is not turned off or removed while it is the only way in', async () => {
    const { pool } = shared.platform.database
    await pool.query('delete from social_providers')
    const id = await shared.make()
    await pool.query(`update tenants set login_methods = '{}' where slug = 'acme'`)
    const turnOff = async () =>
      (await shared.send('PATCH', `/${id}`, { attributes: { enabled: false } })).statusCode
    await expect.poll(turnOff).toBe(409)
    expect((await shared.send('DELETE', `/${id}`)).statusCode).toBe(409)
    const second = await shared.make()
    expect((await shared.send('DELETE', `/${id}`)).statusCode).toBe(204)
    await pool.query(`update tenants set login_methods = '{magic_link}' where slug = 'acme'`)
    await expect.poll(async () => (await shared.send('DELETE', `/${second}`)).statusCode).toBe(204)
  })

  test.for([
    ['no provider', { provider: undefined }, 'provider', 'provider is missing.'],
    ['no name', { name: undefined }, 'name', 'name is missing: members read it on its button.'],
    ['no issuer', { issuer: undefined }, 'issuer', 'issuer is missing.'],
    ['no client_id', { client_id: undefined }, 'client_id', 'client_id is missing.'],
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
    const answer = await shared.send('POST', '', { attributes: shared.attributes(more) })
    expect([answer.statusCode, errorsOf(answer)?.[field]]).toEqual([422, [expect.stringContaining(message)]])
  })

  test.for([['Staff'], [''], ['a b'], ['../x'], ['x'.repeat(41)]])(
    'cannot have the id "%s"',
    async ([id]) => {
      const answer = await shared.send('POST', '', {
        ...(id !== undefined && { id }),
        attributes: shared.attributes(),
      })
      expect([answer.statusCode, errorsOf(answer)?.id]).toEqual([
        422,
        [expect.stringContaining('id must be 1 to 40')],
      ])
    },
  )

  test('never changes its id or its kind', async () => {
    const id = await shared.make()
    expect((await shared.send('POST', '', { id, attributes: shared.attributes() })).statusCode).toBe(409)
    expect((await shared.send('PATCH', `/${id}`, { id: 'other' })).statusCode).toBe(409)
    expect((await shared.send('PATCH', `/${id}`, { attributes: { provider: 'google' } })).statusCode).toBe(
      422,
    )
  })
})
