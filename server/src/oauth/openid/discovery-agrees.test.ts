import type { DiscoveryDocument } from '@usher/contract'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostOf, issuerOf, makeVerifier, oauthRefusal, secretOf } from '../../testing/oauth-platform.ts'
import { createOpenIdPlatform, type OpenIdPlatform, openid } from '../../testing/openid-platform.ts'
import { authorizePath } from '../../testing/sign-in-platform.ts'
import type { Visitor } from '../../testing/visitor.ts'

let platform: OpenIdPlatform
let document: DiscoveryDocument
/** A browser in which a member is signed in, so that asking silently is answered with a code. */
let visitor: Visitor
beforeAll(async () => {
  platform = await createOpenIdPlatform()
  document = (await platform.request(hostOf(), { url: '/.well-known/openid-configuration' })).json()
  visitor = platform.visit()
  const { sub } = await platform.read(await platform.redeem(await platform.arrive(visitor)))
  await platform.database.pool.query(`update members set name = 'Ada' where id = $1`, [sub])
})
afterAll(() => platform.close())

/** What arrives for a request that is not silent, where it goes back at once. */
const refusalOf = async (parameters: Record<string, string>) => {
  const answer = await visitor.get(authorizePath(openid(parameters)))
  return answer.statusCode === 302
    ? new URL(String(answer.headers.location)).searchParams.get('error')
    : undefined
}

describe('claims_parameter_supported', () => {
  const asked = {
    'an essential claim': '{"userinfo":{"email":{"essential":true}},"id_token":{"email":null}}',
    'a value of sub': '{"id_token":{"sub":{"value":"somebody"}}}',
    'an essential acr': '{"id_token":{"acr":{"essential":true,"values":["urn:mace:incommon:iap:silver"]}}}',
    'no JSON': '{',
  }
  test.for(Object.entries(asked))(
    'is false: claims with %s is not looked at (OpenID Connect Core 5.5)',
    async ([, claims]) => {
      expect(document.claims_parameter_supported).toBe(false)
      const tokens = await platform.redeem(await platform.askSilently(visitor, { claims }))
      const { sub, ...said } = await platform.read(tokens)
      const plain = await platform.read(await platform.redeem(await platform.askSilently(visitor)))
      expect([sub, Object.keys(said)]).toEqual([plain.sub, Object.keys(plain).filter(name => name !== 'sub')])
      expect((await platform.askUserInfo(tokens)).json()).toEqual({ sub })
    },
  )

  test('is false: claims sent twice is not looked at either', async () => {
    const answer = await visitor.get(`${authorizePath(openid({ prompt: 'none' }))}&claims=%7B%7D&claims=x`)
    expect(new URL(String(answer.headers.location)).searchParams.get('code')).toHaveLength(64)
  })
})

describe('what it says is supported', () => {
  test('claims: all that an id_token and userinfo say, and no more', async () => {
    const arrived = await platform.askSilently(visitor, { scope: 'openid profile email', nonce: 'n' })
    const tokens = await platform.redeem(arrived)
    const said = [await platform.read(tokens), (await platform.askUserInfo(tokens)).json()].flatMap(
      Object.keys,
    )
    expect([...new Set(said)].toSorted()).toEqual(document.claims_supported.toSorted())
  })

  test('scopes: each is granted, and no other', async () => {
    const scope = [...document.scopes_supported, 'offline_access', 'phone', 'address'].join(' ')
    const answer = await platform.redeem(await platform.askSilently(visitor, { scope }))
    expect(answer).toHaveProperty('scope', document.scopes_supported.join(' '))
  })

  test('prompts: each is answered, and no other', async () => {
    for (const prompt of document.prompt_values_supported)
      expect([prompt, (await refusalOf({ prompt })) ?? undefined]).toEqual([prompt, undefined])
    for (const prompt of ['consent', 'create', 'Login'])
      expect([prompt, await refusalOf({ prompt })]).toEqual([prompt, 'invalid_request'])
  })

  test('response modes: query, and no other', async () => {
    for (const response_mode of ['query', 'fragment', 'form_post', 'web_message'])
      expect([response_mode, (await refusalOf({ response_mode })) === undefined]).toEqual([
        response_mode,
        document.response_modes_supported.includes(response_mode),
      ])
  })

  test('response types: of those that it names for old readers, code alone is taken (interface 2.8 and 4.6)', async () => {
    expect(document.response_types_supported).toEqual(['token', 'code'])
    expect(await refusalOf({ response_type: 'code' })).toBeUndefined()
    expect(await refusalOf({ response_type: 'token' })).toBe('unsupported_response_type')
  })

  test('code challenge methods: S256, and no other', async () => {
    const { challenge: code_challenge } = makeVerifier()
    for (const code_challenge_method of ['S256', 'plain'])
      expect([
        code_challenge_method,
        (await refusalOf({ code_challenge, code_challenge_method })) === undefined,
      ]).toEqual([
        code_challenge_method,
        document.code_challenge_methods_supported.includes(code_challenge_method as 'S256'),
      ])
  })

  test('request objects, by value or by address: not', async () => {
    expect([document.request_parameter_supported, document.request_uri_parameter_supported]).toEqual([
      false,
      false,
    ])
    expect(await refusalOf({ request: 'a.b.c' })).toBe('request_not_supported')
    expect(await refusalOf({ request_uri: 'https://a.example' })).toBe('request_uri_not_supported')
  })

  test('ways of a client to say who it is: in the form, and by HTTP Basic', async () => {
    expect(document.token_endpoint_auth_methods_supported).toEqual([
      'client_secret_post',
      'client_secret_basic',
    ])
    const { code: inForm = '' } = await platform.askSilently(visitor)
    expect((await platform.exchange(inForm)).statusCode).toBe(200)
    const { code: byBasic = '' } = await platform.askSilently(visitor)
    const authorization = `Basic ${Buffer.from(`partner:${secretOf('partner')}`).toString('base64')}`
    const basic = await platform.exchange(
      byBasic,
      { client_id: undefined, client_secret: undefined },
      { headers: { authorization } },
    )
    expect(basic.statusCode).toBe(200)
  })

  test('grants: codes, and no other', async () => {
    expect(document.grant_types_supported).toEqual(['authorization_code'])
    for (const grant_type of ['refresh_token', 'client_credentials', 'implicit'])
      expect((await platform.exchange('x', { grant_type })).json()).toEqual(
        oauthRefusal('unsupported_grant_type'),
      )
  })

  test('signatures, the issuer in every answer, and one subject for all clients', async () => {
    const arrived = await platform.askSilently(visitor)
    expect([document.authorization_response_iss_parameter_supported, arrived.iss]).toEqual([true, issuerOf()])
    const tokens = await platform.redeem(arrived)
    expect(document.id_token_signing_alg_values_supported).toEqual([
      decodeProtectedHeader(tokens.id_token).alg,
    ])
    expect(document.subject_types_supported).toEqual(['public'])
    const other = await platform.redeem(await platform.askSilently(visitor, { client_id: 'neighbour' }), {
      client_id: 'neighbour',
      client_secret: secretOf('neighbour'),
    })
    expect((await platform.askUserInfo(other)).json()).toEqual((await platform.askUserInfo(tokens)).json())
  })
})
