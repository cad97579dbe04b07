import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOAuthPlatform, hostOf, type OAuthPlatform } from '../testing/oauth-platform.ts'
import { platformHost, tokens } from '../testing/whole-platform.ts'

const keys = {
  viewer: 'test-key-of-a-viewer-of-acme-of-32-characters',
  readOnly: 'test-key-that-only-reads-of-acme-32-characters',
  operators: 'test-key-of-an-operator-at-acme-32-characters',
}
let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
  await platform.apply(
    JSON.stringify({
      tenants: [
        {
          slug: 'acme',
          name: 'Acme Daily',
          domain: 'members.acme.example',
          staff: [{ email: 'viewer@acme.example', role: 'viewer' }],
          keys: [
            { name: 'viewer', user: 'viewer@acme.example', token: keys.viewer },
            { name: 'read-only', token: keys.readOnly, abilities: ['admin:read'] },
            { name: 'operators', user: 'ops@example.com', token: keys.operators },
          ],
        },
      ],
    }),
  )
})
afterAll(() => platform.close())

const path = '/api/v1/oauth-clients'
const type = 'application/vnd.api+json'
type Attributes = Record<string, unknown>

const get = (url = path, key = tokens.acme, host = hostOf()) => platform.request(host, { url, key })
function send(
  method: 'POST' | 'PATCH',
  url: string,
  data?: { id?: string; type?: string; attributes?: Attributes },
  { key = tokens.acme, host = hostOf(), contentType = type } = {},
) {
  return platform.request(host, {
    method,
    url,
    key,
    ...(data && {
      payload: JSON.stringify({ data: { type: 'oauth-clients', ...data } }),
      headers: { 'content-type': contentType },
    }),
  })
}
const attributes = { name: 'Shop', redirect_uris: ['https://shop.example/callback'] }
let count = 0
let id: string
beforeEach(async () => {
  id = `shop-${count++}`
  const made = await send('POST', path, { id, attributes })
  expect(made.statusCode).toBe(201)
})

async function audited(target: string): Promise<unknown[]> {
  const { rows } = await platform.database.pool.query(
    `select action, actor_kind, actor_name, host(address) as address, details from audit_entries where target = $1 order by id`,
    [target],
  )
  return rows
}

describe('a client (interface 2.5)', () => {
  test('is made with its secret, which is shown only then', async () => {
    const answer = await send('POST', path, { attributes: { ...attributes, pkce_required: true } })
    expect(answer.statusCode).toBe(201)
    const { data } = answer.json()
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      type: 'oauth-clients',
      attributes: {
        client_id: data.id,
        name: 'Shop',
        redirect_uris: ['https://shop.example/callback'],
        allowed_origins: [],
        post_logout_redirect_uris: [],
        backchannel_logout_uri: null,
        pkce_required: true,
        enabled: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
        updated_at: data.attributes.created_at,
        secret_changed_at: data.attributes.created_at,
        client_secret: expect.stringMatching(/^usher_client_[\w-]{43}$/),
      },
    })
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'cache-control': 'no-store',
      location: `${path}/${data.id}`,
    })
    const { client_secret: _secret, ...shown } = data.attributes
    const again = await get(`${path}/${data.id}`)
    expect([again.statusCode, again.json(), again.headers['content-type']]).toEqual([
      200,
      { data: { ...data, attributes: shown } },
      type,
    ])
    expect((await get()).body).not.toContain('client_secret')
    expect(await audited(data.id)).toEqual([
      {
        action: 'client.created',
        actor_kind: 'key',
        actor_name: 'consumer',
        address: '127.0.0.1',
        details: {
          name: 'Shop',
          redirect_uris: ['https://shop.example/callback'],
          allowed_origins: [],
          post_logout_redirect_uris: [],
          backchannel_logout_uri: null,
          pkce_required: true,
          enabled: true,
        },
      },
    ])
  })

  test('is changed in what is sent, and the rest stays', async () => {
    const answer = await send('PATCH', `${path}/${id}`, { attributes: { name: 'Store', enabled: false } })
    expect(answer.statusCode).toBe(200)
    expect(answer.json().data.attributes).toMatchObject({ ...attributes, name: 'Store', enabled: false })
    expect((await audited(id)).at(-1)).toMatchObject({
      action: 'client.changed',
      details: { name: { from: 'Shop', to: 'Store' }, enabled: { from: true, to: false } },
    })
    const same = await send('PATCH', `${path}/${id}`, { id, attributes: { name: 'Store' } })
    expect(same.json()).toEqual(answer.json())
    expect(await audited(id)).toHaveLength(2)
  })

  test('gets a new secret, and the one before stops at once', async () => {
    const first = (await send('POST', `${path}/${id}/secret`)).json().data.attributes.client_secret
    const asking = (client_secret: string) =>
      platform.post('/oauth/introspect', { client_id: id, client_secret, token: 'x' })
    expect((await asking(first)).json()).toEqual({ active: false })
    const answer = await send('POST', `${path}/${id}/secret`)
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    const second = answer.json().data.attributes.client_secret
    expect((await asking(first)).json().error).toBe('invalid_client')
    expect((await asking(second)).json()).toEqual({ active: false })
    const entries = await audited(id)
    expect(entries.at(-1)).toMatchObject({ action: 'client.secret_regenerated', details: {} })
    for (const secret of [first, second]) expect(JSON.stringify(entries)).not.toContain(secret)
  })

  test('is listed with the others of its tenant alone, the oldest first', async () => {
    const ids = (await get()).json().data.map((client: { id: string }) => client.id)
    expect(ids).toEqual(expect.arrayContaining(['partner', 'strict', 'off', id]))
    expect(ids.at(-1)).toBe(id)
    expect(ids).not.toContain('only-globe')
    const ofGlobe = await get(path, tokens.globe, platformHost)
    const idsOfGlobe = ofGlobe.json().data.map((client: { id: string }) => client.id)
    expect(idsOfGlobe.toSorted()).toEqual(['only-globe', 'partner'])
  })

  test('is taken as application/json too', async () => {
    const options = { contentType: 'application/json' }
    expect((await send('PATCH', `${path}/${id}`, { attributes: {} }, options)).statusCode).toBe(200)
  })
})

describe('what is refused', () => {
  test.for<[string, Attributes, Record<string, unknown>]>([
    ['no name', { name: undefined }, { name: ['name is missing.'] }],
    ['no redirect URIs', { redirect_uris: undefined }, { redirect_uris: ['redirect_uris is missing.'] }],
    [
      'an empty list',
      { redirect_uris: [] },
      { redirect_uris: ['redirect_uris must have at least one URL.'] },
    ],
    [
      'several faults, with a message per field',
      { name: '', redirect_uris: ['http://shop.example/'], allowed_origins: ['*'] },
      {
        name: [expect.stringContaining('name must be 1 to 200 characters')],
        redirect_uris: [expect.stringContaining('redirect_uris[0] must be HTTPS')],
        allowed_origins: [expect.stringContaining('allowed_origins[0] must be')],
      },
    ],
    [
      'a secret',
      { client_secret: 'x'.repeat(40) },
      { client_secret: [expect.stringContaining('only regenerated')] },
    ],
    ['another client_id', { client_id: 'other' }, { client_id: [expect.stringContaining('never changes')] }],
    ['an unknown attribute', { colour: 'red' }, { colour: ['colour is no attribute that can be set.'] }],
  ])('with 422: %s', async ([, changed, errors]) => {
    const made = await send('POST', path, { attributes: { ...attributes, ...changed } })
    expect([made.statusCode, made.json().errors]).toEqual([422, errors])
    expect(made.headers['content-type']).toBe('application/json')
    if (changed.name === undefined && 'name' in changed) return
    if (changed.redirect_uris === undefined && 'redirect_uris' in changed) return
    const before = (await get(`${path}/${id}`)).json()
    const answer = await send('PATCH', `${path}/${id}`, { attributes: changed })
    expect([answer.statusCode, answer.json().errors]).toEqual([422, errors])
    expect((await get(`${path}/${id}`)).json()).toEqual(before)
  })

  test('with 422: another type of resource, wrong types, a client_id that cannot be one', async () => {
    for (const data of [
      { type: 'clients', attributes },
      { attributes: { ...attributes, enabled: 'yes' } },
      { attributes: { ...attributes, redirect_uris: 'https://shop.example/' } },
      { id: 'a b', attributes },
    ]) {
      const answer = await send('POST', path, data)
      expect([answer.statusCode, answer.json()]).toEqual([
        422,
        { message: expect.stringMatching(/\.$/), errors: expect.any(Object) },
      ])
    }
  })

  test('with 409: a client_id that is taken, or that is not that of the address', async () => {
    expect((await send('POST', path, { id, attributes })).statusCode).toBe(409)
    expect((await send('PATCH', `${path}/${id}`, { id: 'other', attributes })).statusCode).toBe(409)
  })

  test("with 404: a client that is not there, or another tenant's", async () => {
    for (const other of ['nobody', 'only-globe', 'a%20b', '%00', 'x'.repeat(100)]) {
      const answers = [
        await get(`${path}/${other}`),
        await send('PATCH', `${path}/${other}`, { attributes: { enabled: false } }),
        await send('POST', `${path}/${other}/secret`),
      ]
      expect([other, answers.map(({ statusCode }) => statusCode)]).toEqual([other, [404, 404, 404]])
    }
    const { rows } = await platform.database.pool.query(
      `select enabled from oauth_clients where client_id = 'only-globe'`,
    )
    expect(rows).toEqual([{ enabled: true }])
  })

  test('with 403: a change by somebody who may only look', async () => {
    for (const key of [keys.viewer, keys.readOnly]) {
      expect((await get(path, key)).statusCode).toBe(200)
      expect((await get(`${path}/${id}`, key)).statusCode).toBe(200)
      const answers = [
        await send('POST', path, { attributes }, { key }),
        await send('PATCH', `${path}/${id}`, { attributes: { enabled: false } }, { key }),
        await send('POST', `${path}/${id}/secret`, undefined, { key }),
      ]
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403])
    }
    expect(await audited(id)).toHaveLength(1)
  })

  test("and not by an operator's key", async () => {
    const change = { attributes: { enabled: false } }
    expect((await send('PATCH', `${path}/${id}`, change, { key: keys.operators })).statusCode).toBe(200)
  })
})
