import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declarePartner, type LogoutPartner, startLogoutPartner } from './testing/logout-partner.ts'
import { hostOf } from './testing/oauth-platform.ts'
import { createSignInPlatform, type SignInPlatform } from './testing/sign-in-platform.ts'
import { tokens } from './testing/whole-platform.ts'

let platform: SignInPlatform
let partner: LogoutPartner
beforeAll(async () => {
  partner = await startLogoutPartner()
  platform = await createSignInPlatform({
    NODE_ENV: 'production',
    USHER_PUBLIC_URL: 'https://platform.localhost',
  })
})
afterAll(async () => {
  await platform.close()
  partner.close()
})

/** Why the jobs of a name did not do their part. */
async function faultsOf(name: string): Promise<string[]> {
  const { rows } = await platform.database.pool.query(
    `select output->>'message' as fault from pgboss.job where data->>'name' = $1 and output is not null`,
    [name],
  )
  return rows.map(({ fault }) => fault)
}

describe('in production, where a tenant names an address inside (threats: SSRF)', () => {
  test.for([
    ['http', (address: string) => address, 'is not an https address.'],
    [
      'https',
      (address: string) => address.replace('http:', 'https:'),
      '127.0.0.1 is not an address that may be asked.',
    ],
    [
      'a name',
      (address: string) => address.replace('http://127.0.0.1', 'https://localhost'),
      'localhost has no address that may be asked.',
    ],
  ] as const)('no logout token is sent there: %s', async ([, lead, fault]) => {
    await declarePartner(platform, { backchannel_logout_uri: lead(partner.address) })
    const member = await platform.signIn()
    await platform.exchange(await platform.issue({ member, scope: 'openid' }))
    const headers = { authorization: `Bearer ${member.token}` }
    await platform.request(hostOf(), { method: 'POST', url: '/api/sdk/sign-out', headers })
    await expect.poll(() => faultsOf('send-logout-token')).toContainEqual(expect.stringContaining(fault))
    expect(partner.told).toEqual([])
  })

  test.for([
    ['http', (address: string) => address, 'issuer must be an https address.'],
    [
      'https',
      (address: string) => address.replace('http:', 'https:'),
      'issuer leads to where Usher does not go: 127.0.0.1 is not an address that may be asked.',
    ],
    [
      'a name',
      (address: string) => address.replace('http://127.0.0.1', 'https://idp.localhost'),
      'issuer leads to where Usher does not go: idp.localhost has no address that may be asked.',
    ],
  ] as const)('no provider is asked there: %s', async ([, lead, message]) => {
    const { origin } = new URL(lead(partner.address))
    const attributes = { provider: 'oidc', name: 'Staff', issuer: origin, client_id: 'x', client_secret: 'y' }
    const answer = await platform.request(hostOf(), {
      method: 'POST',
      url: '/api/v1/social-providers',
      key: tokens.acme,
      headers: { 'content-type': 'application/vnd.api+json' },
      payload: JSON.stringify({ data: { type: 'social-providers', attributes } }),
    })
    expect([answer.statusCode, answer.json().message]).toEqual([422, message])
  })
})
