import { describe, expect, test } from 'vitest'
import { callback, issuerOf, makeVerifier, otherCallback } from '../testing/oauth-platform.ts'
import {
  goodRequest,
  guards,
  locationOf,
  type Sent,
  useTestAuthorize,
} from '../testing/use-test-authorize.ts'

const { ask } = useTestAuthorize()
const { challenge } = makeVerifier()

describe('a request that must not be redirected anywhere (interface 4.6, behaviour 2)', () => {
  const evil = 'https://evil.example/callback'
  test.for<[string, Sent | string]>([
    ['no client_id', { client_id: undefined }],
    ['an empty client_id', { client_id: '' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['an unknown client and prompt=none', { client_id: 'nobody', prompt: 'none' }],
    ['a client_id that cannot be one', { client_id: 'a b\0' }],
    [
      "another tenant's client",
      { client_id: 'only-globe', redirect_uri: 'https://only.globe.example/callback' },
    ],
    ['a disabled client', { client_id: 'off', redirect_uri: 'https://off.example/callback' }],
    ['client_id twice', `${new URLSearchParams(goodRequest)}&client_id=partner`],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['an empty redirect_uri', { redirect_uri: '' }],
    [
      'redirect_uri twice',
      `${new URLSearchParams(goodRequest)}&redirect_uri=${encodeURIComponent(callback)}`,
    ],
    ['redirect_uri twice, the other first', `redirect_uri=${evil}&${new URLSearchParams(goodRequest)}`],
    ...[
      ['in other case', callback.replace('app.', 'APP.')],
      ['with the scheme in other case', callback.replace('https', 'HTTPS')],
      ['with the path in other case', callback.replace('callback', 'Callback')],
      ['with a port', callback.replace('.example', '.example:443')],
      ['with an added slash', `${callback}/`],
      ['with a slash doubled', callback.replace('/callback', '//callback')],
      ['with an added query', `${callback}?x=1`],
      ['with an empty query', `${callback}?`],
      ['without its query', otherCallback.split('?')[0]],
      ['with another query', otherCallback.replace('a=1', 'a=2')],
      ['with a fragment', `${callback}#x`],
      ['with an empty fragment', `${callback}#`],
      ['with userinfo', callback.replace('https://', 'https://user@')],
      [
        'with a host for userinfo',
        callback.replace('app.partner.example', 'app.partner.example@evil.example'),
      ],
      ['with dots', callback.replace('/callback', '/x/../callback')],
      ['with encoded dots', callback.replace('/callback', '/x/%2e%2e/callback')],
      ['encoded', callback.replace('callback', '%63allback')],
      ['encoded twice', encodeURIComponent(callback)],
      ['that is a prefix', callback.slice(0, -1)],
      ['that is a suffix', 'https://evil.example/https://app.partner.example/callback'],
      ['whose host is a suffix', callback.replace('https://', 'https://evil')],
      ['whose host is a prefix', callback.replace('.example', '.example.evil.example')],
      ['with a trailing dot in the host', callback.replace('.example/', '.example./')],
      ['without TLS', callback.replace('https', 'http')],
      ['with a space before it', ` ${callback}`],
      ['with a line break after it', `${callback}\n`],
      ['with NUL after it', `${callback}\0`],
      ['with a backslash', callback.replace('.example/', '.example\\')],
      ['of another scheme', 'javascript:alert(1)'],
      ['without scheme', '//app.partner.example/callback'],
      ['elsewhere', evil],
      ['of another client', 'https://neighbour.example/callback'],
      ["of another tenant's client of the same name", 'https://app.globe.example/callback'],
      ['of two that are registered, with a space', `${callback} ${otherCallback}`],
    ].map(([what, redirect_uri]): [string, Sent] => [`a redirect_uri ${what}`, { redirect_uri }]),
  ])('answers an error page to %s', async ([, sent]) => {
    const answer = await ask(sent)
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined])
    expect(answer.headers).toMatchObject(guards)
    expect(answer.body).toMatch(/^[^<>]+\.$/)
    expect(answer.body).not.toContain('evil')
  })

  test('answers it with no other parameter either: none of them is an address to go to', async () => {
    const names = [
      'next',
      'return_to',
      'post_logout_redirect_uri',
      'target_link_uri',
      'request_uri',
      'error_uri',
      'iss',
    ]
    for (const name of names) {
      const answer = await ask({ redirect_uri: evil, [name]: evil })
      expect([name, answer.statusCode, answer.headers.location]).toEqual([name, 400, undefined])
      const refused = await ask({ response_type: 'x', [name]: evil })
      expect([name, locationOf(refused).to]).toEqual([name, callback])
      expect(String(refused.headers.location)).not.toContain('evil')
    }
  })
})

describe('a fault that the client is told by redirect (RFC 6749 4.1.2.1, decisions, OAuth)', () => {
  const twice = (name: string, value = 'x') =>
    `${new URLSearchParams({ ...goodRequest, [name]: value })}&${name}=${value}`

  test.for<[string, string, Sent | string]>([
    ['no response_type', 'invalid_request', { response_type: undefined }],
    ['an empty response_type', 'invalid_request', { response_type: '' }],
    ['response_type=token', 'unsupported_response_type', { response_type: 'token' }],
    ['response_type=code token', 'unsupported_response_type', { response_type: 'code token' }],
    ['response_type=CODE', 'unsupported_response_type', { response_type: 'CODE' }],
    ['response_type twice', 'invalid_request', twice('response_type', 'code')],
    ['response_mode=fragment', 'invalid_request', { response_mode: 'fragment' }],
    ['response_mode=form_post', 'invalid_request', { response_mode: 'form_post' }],
    ['a challenge without a method', 'invalid_request', { code_challenge: challenge }],
    ['plain', 'invalid_request', { code_challenge: challenge, code_challenge_method: 'plain' }],
    ['s256', 'invalid_request', { code_challenge: challenge, code_challenge_method: 's256' }],
    ['a method without a challenge', 'invalid_request', { code_challenge_method: 'S256' }],
    ['a challenge that is none', 'invalid_request', { code_challenge: 'x', code_challenge_method: 'S256' }],
    [
      'a padded challenge',
      'invalid_request',
      { code_challenge: `${challenge}=`, code_challenge_method: 'S256' },
    ],
    [
      'a challenge twice',
      'invalid_request',
      `${twice('code_challenge', challenge)}&code_challenge_method=S256`,
    ],
    ['prompt=none login', 'invalid_request', { prompt: 'none login' }],
    ['prompt=login none', 'invalid_request', { prompt: 'login none' }],
    ['prompt=consent', 'invalid_request', { prompt: 'consent' }],
    ['prompt=None', 'invalid_request', { prompt: 'None' }],
    ['prompt twice', 'invalid_request', twice('prompt', 'login')],
    ['scope twice', 'invalid_request', twice('scope')],
    ['nonce twice', 'invalid_request', twice('nonce')],
    ['login_hint twice', 'invalid_request', twice('login_hint')],
    ['NUL in scope', 'invalid_request', { scope: '\0' }],
    ['NUL in login_hint', 'invalid_request', { login_hint: 'a\0' }],
  ])('%s is %s', async ([, error, sent]) => {
    const answer = await ask(sent)
    expect(locationOf(answer)).toEqual({
      to: callback,
      parameters: {
        error,
        error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+\.$/),
        state: 's t&a=te',
        iss: issuerOf(),
      },
    })
    expect(answer.headers).toMatchObject(guards)
  })

  test('a client that requires PKCE, without a challenge, is invalid_request, also with prompt=none', async () => {
    const strict = { client_id: 'strict', redirect_uri: 'https://strict.example/callback' }
    for (const prompt of [undefined, 'none'])
      for (const sent of [{}, { code_challenge: '' }]) {
        const { to, parameters } = locationOf(await ask({ ...strict, prompt, ...sent }))
        expect([to, parameters.error]).toEqual([strict.redirect_uri, 'invalid_request'])
      }
    const answer = await ask({ ...strict, code_challenge: challenge, code_challenge_method: 'S256' })
    expect(answer.statusCode).toBe(200)
  })

  test('state comes back as sent, also empty, and not at all when it was not sent, or sent twice', async () => {
    const stateOf = async (sent: Sent | string) => locationOf(await ask(sent)).parameters.state
    const fault = { response_type: 'x' }
    expect(await stateOf({ ...fault, state: '' })).toBe('')
    expect(await stateOf({ ...fault, state: undefined })).toBeUndefined()
    const odd = 'a+b %20&=#é✓\u0000"<script>'
    expect(await stateOf({ ...fault, state: odd })).toBe(odd)
    expect(await stateOf(twice('state'))).toBeUndefined()
  })

  test('the query of a registered URI stays as it is', async () => {
    const answer = await ask({ redirect_uri: otherCallback, response_type: 'x' })
    expect(String(answer.headers.location)).toMatch(
      /^https:\/\/app\.partner\.example\/other\?a=1&error=unsupported_response_type&/,
    )
  })
})
