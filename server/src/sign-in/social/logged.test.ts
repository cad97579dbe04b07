import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureLog } from '../../testing/contract/log-lines.ts'
import { newAddress } from '../../testing/sign-in-platform.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/social/openid-provider.ts'
import { signInAt } from '../../testing/social/sign-in-at.ts'
import {
  callbackOf,
  createSocialPlatform,
  pathOf,
  type SocialPlatform,
} from '../../testing/social/social-platform.ts'

let platform: SocialPlatform
let provider: OpenIdProvider
const email = newAddress()
const { log, lines, linesWithSecrets } = captureLog()
beforeAll(async () => {
  provider = await startOpenIdProvider({
    redirectUris: [callbackOf('staff')],
    accounts: { 'ann-of-the-provider': { email, email_verified: true } },
  })
  platform = await createSocialPlatform({}, { log })
  await platform.setProvider('staff', {
    provider: 'oidc',
    name: 'Staff',
    issuer: provider.issuer,
    client_id: 'usher',
    client_secret: provider.clientSecret,
  })
})
afterAll(async () => {
  await platform?.close()
  await provider?.close()
})

test('a provider that fails is logged with its reason, and with nothing that was sent (threats, API)', async () => {
  const sent: string[] = [email, provider.clientSecret, 'ann-of-the-provider']
  const faults: [string, () => void][] = [
    [
      'another nonce',
      () => provider.tamper({ claims: claims => ({ ...claims, nonce: 'a-nonce-of-theirs' }) }),
    ],
    [
      'another issuer',
      () => provider.tamper({ claims: claims => ({ ...claims, iss: 'https://evil.example' }) }),
    ],
    ['another key', () => provider.tamper({ otherKey: true })],
    [
      'a refusal that quotes',
      () =>
        provider.misbehave('/token', (_request, response) => {
          response.writeHead(400, { 'content-type': 'application/json' })
          response.end(JSON.stringify({ error: 'invalid_grant', error_description: sent.join(' ') }))
        }),
    ],
    [
      'a page that quotes',
      () => provider.misbehave('/token', (_request, response) => void response.end(sent.join(' '))),
    ],
    [
      'userinfo of somebody else',
      () =>
        provider.misbehave('/me', (_request, response) => {
          response.setHeader('content-type', 'application/json')
          response.end(JSON.stringify({ sub: 'somebody-else', email }))
        }),
    ],
  ]
  for (const [what, fail] of faults) {
    const visitor = platform.visit()
    const address = await platform.press(visitor, await platform.begin(visitor), 'staff')
    const back = await signInAt(address, { login: 'ann-of-the-provider', action: 'login' })
    for (const at of [new URL(address), back])
      for (const name of ['state', 'nonce', 'code_challenge', 'code'])
        sent.push(...at.searchParams.getAll(name))
    const before = lines.length
    fail()
    expect([what, (await visitor.get(pathOf(back))).statusCode]).toEqual([what, 400])
    provider.behave()
    expect([what, lines.slice(before).filter(line => line.includes('"providerId":"staff"'))]).toEqual([
      what,
      [expect.stringContaining('a provider did not say who somebody is')],
    ])
  }
  expect(linesWithSecrets([...sent, 'a-nonce-of-theirs'])).toEqual([])
})

test('a secret that was refused is logged in one line with what to do, and without a stack', async () => {
  const visitor = platform.visit()
  const address = await platform.press(visitor, await platform.begin(visitor), 'staff')
  const back = await signInAt(address, { login: 'ann-of-the-provider', action: 'login' })
  const before = lines.length
  provider.misbehave('/token', (_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' })
    response.end(JSON.stringify({ error: 'invalid_client', error_description: provider.clientSecret }))
  })
  expect((await visitor.get(pathOf(back))).statusCode).toBe(503)
  provider.behave()
  const told = lines.slice(before).filter(line => line.includes('"providerId":"staff"'))
  expect(told.map(line => JSON.parse(line))).toEqual([
    {
      level: 40,
      time: expect.anything(),
      tenantId: platform.tenants.acme.id,
      providerId: 'staff',
      reason: 'It refused the client with 401.',
      msg: 'client_secret of social provider staff of tenant acme was refused: save the new one',
    },
  ])
  expect(linesWithSecrets([provider.clientSecret])).toEqual([])
})
