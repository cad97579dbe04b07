import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOAuthPlatform, type OAuthPlatform, oauthRefusal, secretOf } from '../testing/oauth-platform.ts'

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform()
})
afterAll(() => platform.close())

const statusAndBody = (answer: { statusCode: number; json(): unknown }) => [answer.statusCode, answer.json()]

const basic = (clientId: string, secret: string) =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

describe('a client that is not who it says (interface 7)', () => {
  test.for<[string, Record<string, string | undefined>]>([
    ['an unknown client', { client_id: 'nobody' }],
    ['a client_id that cannot be one', { client_id: 'a b\0' }],
    ['no client_id', { client_id: undefined }],
    ['an empty client_id', { client_id: '' }],
    ['a disabled client', { client_id: 'off', client_secret: secretOf('off') }],
    ['a wrong secret', { client_secret: 'wrong' }],
    ['no secret', { client_secret: undefined }],
    ['an empty secret', { client_secret: '' }],
    ["another client's secret", { client_secret: secretOf('neighbour') }],
    [
      "the secret of another tenant's client of the same name",
      { client_secret: secretOf('partner', 'globe') },
    ],
    ["another tenant's client", { client_id: 'only-globe', client_secret: secretOf('only-globe', 'globe') }],
    [
      'the client first, before all that is wrong besides',
      { client_secret: 'wrong', grant_type: 'x', code: '' },
    ],
  ])('is refused with invalid_client and 400: %s', async ([, other]) => {
    const code = await platform.issue()
    expect(statusAndBody(await platform.exchange(code, other))).toEqual([400, oauthRefusal('invalid_client')])
    // And the code is still good.
    expect((await platform.exchange(code)).statusCode).toBe(200)
  })

  test.for([
    ['a wrong secret', basic('partner', 'wrong')],
    ['an unknown client', basic('nobody', secretOf('partner'))],
    ['a disabled client', basic('off', secretOf('off'))],
    ['no colon', `Basic ${Buffer.from('partner').toString('base64')}`],
    ['an escape that cannot be decoded', basic('partner', '%zz')],
    ['nothing', 'Basic'],
    ['no base64', 'Basic ???'],
  ] as const)(
    'is refused with 401 and a challenge where it used HTTP Basic: %s',
    async ([, authorization]) => {
      const without = { client_id: undefined, client_secret: undefined }
      const answer = await platform.exchange(await platform.issue(), without, { headers: { authorization } })
      expect(statusAndBody(answer)).toEqual([401, oauthRefusal('invalid_client')])
      expect(answer.headers['www-authenticate']).toBe('Basic realm="OAuth client", charset="UTF-8"')
      expect(answer.headers['cache-control']).toBe('no-store')
    },
  )

  test.for<[string, Record<string, string | undefined>]>([
    ['the secret in the form too', {}],
    ['another client_id in the form', { client_id: 'neighbour', client_secret: undefined }],
  ])('is refused with invalid_request when it comes by HTTP Basic, and with %s', async ([, other]) => {
    const headers = { authorization: basic('partner', secretOf('partner')) }
    const answer = await platform.exchange(await platform.issue(), other, { headers })
    expect(statusAndBody(answer)).toEqual([400, oauthRefusal('invalid_request')])
  })
})

describe('a client that changes', () => {
  const disable = (enabled: boolean) =>
    platform.database.pool.query(`update oauth_clients set enabled = $1 where client_id = 'neighbour'`, [
      enabled,
    ])
  const neighbour = {
    client_id: 'neighbour',
    client_secret: secretOf('neighbour'),
    redirect_uri: 'https://neighbour.example/callback',
  }
  const issue = () => platform.issue({ clientId: 'neighbour', redirectUri: neighbour.redirect_uri })

  test('is refused from the moment that it is disabled, whatever was in a cache, and its tokens too', async () => {
    const [code, other] = [await issue(), await issue()]
    const { access_token: token } = (await platform.exchange(other, neighbour)).json()
    expect(await platform.isActive(token)).toBe(true)
    await disable(false)
    expect(statusAndBody(await platform.exchange(code, neighbour))).toEqual([
      400,
      oauthRefusal('invalid_client'),
    ])
    await expect.poll(() => platform.isActive(token)).toBe(false)
    await disable(true)
    expect((await platform.exchange(code, neighbour)).statusCode).toBe(200)
    await expect.poll(() => platform.isActive(token)).toBe(true)
  })

  test('is refused at once also where no process was told of it', async () => {
    const { pool } = platform.database
    const [code, other] = [await issue(), await issue()]
    await pool.query('alter table oauth_clients disable trigger notify_tenancy')
    try {
      // Now it is in the cache, and stays there.
      expect((await platform.exchange(other, neighbour)).statusCode).toBe(200)
      await disable(false)
      const refused = await platform.exchange(code, neighbour)
      expect(statusAndBody(refused)).toEqual([400, oauthRefusal('invalid_client')])
      await disable(true)
      expect((await platform.exchange(code, neighbour)).statusCode).toBe(200)
    } finally {
      await pool.query('alter table oauth_clients enable trigger notify_tenancy')
    }
  })

  test('is refused with its former secret at once, and taken with the new one', async () => {
    const [code, other] = [await issue(), await issue()]
    expect((await platform.exchange(other, neighbour)).statusCode).toBe(200)
    await platform.database.pool.query(
      `update oauth_clients set secret_hash = $1 where client_id = 'neighbour'`,
      [hash('sha256', 'the-new-secret', 'buffer')],
    )
    expect(statusAndBody(await platform.exchange(code, neighbour))).toEqual([
      400,
      oauthRefusal('invalid_client'),
    ])
    const answer = await platform.exchange(code, { ...neighbour, client_secret: 'the-new-secret' })
    expect(answer.statusCode).toBe(200)
  })
})
