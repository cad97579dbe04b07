import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuerOf } from '../../testing/oauth-platform.ts'
import {
  createOpenIdPlatform,
  isSignInPage,
  type OpenIdPlatform,
  openid,
} from '../../testing/openid-platform.ts'
import { authorizePath } from '../../testing/sign-in-platform.ts'
import { actionsOf } from '../../testing/visitor.ts'

let platform: OpenIdPlatform
beforeAll(async () => {
  platform = await createOpenIdPlatform()
})
afterAll(() => platform.close())

describe('a parameter of OpenID Connect at authorize', () => {
  const once = { max_age: '1', id_token_hint: 'x', ui_locales: 'de', nonce: 'n', response_mode: 'query' }
  test.for(Object.entries({ ...once, request: 'x', request_uri: 'x', registration: 'x', login_hint: 'x' }))(
    '%s that is sent twice is invalid_request',
    async ([name, value]) => {
      const path = authorizePath(openid({ prompt: 'none', [name]: value }))
      const answer = await platform.visit().get(`${path}&${name}=${value}`)
      const { searchParams } = new URL(String(answer.headers.location))
      expect(Object.fromEntries(searchParams)).toEqual({
        error: 'invalid_request',
        error_description: `Send ${name} once.`,
        state: 'st&te=1',
        iss: issuerOf(),
      })
    },
  )

  test.for(['nonce', 'ui_locales'])('%s that no database holds is invalid_request', async name => {
    const arrived = await platform.askSilently(platform.visit(), { [name]: 'a\0b' })
    expect(arrived).toMatchObject({
      error: 'invalid_request',
      error_description: `${name} must not hold NUL.`,
    })
  })

  test('that is longer than anybody needs is cut, and the rest of it does not matter', async () => {
    const long = { ui_locales: `de ${'x'.repeat(5_000)}`, login_hint: 'a'.repeat(5_000) }
    const page = await platform.visit().get(authorizePath(openid(long)))
    expect([page.statusCode, isSignInPage(page.body)]).toEqual([200, true])
    expect(page.body).toContain('<html lang="de">')
    expect(/value="(a+)"/.exec(page.body)?.[1]).toHaveLength(254)
    const [flow = ''] = actionsOf(page.body)
    const { rows } = await platform.database.pool.query(
      'select ui_locales from sign_in_flows where id = $1',
      [flow.split('/')[2]],
    )
    expect(rows[0].ui_locales).toBe(`de ${'x'.repeat(197)}`)
  })
})
