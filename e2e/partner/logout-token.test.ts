import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRemoteJWKSet, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import * as openid from 'openid-client'
import { afterEach, expect, test } from 'vitest'
import '../../examples/localhost-names.mjs'
import { startLogoutPartner } from '../../server/src/testing/logout-partner.ts'
import { acme, applyTenants } from '../apply-tenants.ts'
import { startPlatform } from '../start-platform.ts'
import { waitForLetter } from './read-mailbox.ts'
import { readPartnerReadme } from './start-written-app.ts'
import { signInByCode } from './visit-pages.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const client = { id: 'saltern', secret: 'the-secret-of-saltern-pictures-0123456789' }
const redirectUri = 'http://127.0.0.1:4000/callback'

/** The function of the README that verifies a logout token, with what stands around it there. */
async function readHearing(issuer: string, keys: unknown): Promise<(token: string) => Promise<string>> {
  const { text } = await readPartnerReadme()
  const [code = ''] = /async function hearOfLogout[\s\S]*?\n}\n/.exec(text) ?? []
  const parameters = ['jwtVerify', 'keys', 'ISSUER', 'CLIENT_ID']
  const hear = new Function(...parameters, `${code}\nreturn hearOfLogout`)(jwtVerify, keys, issuer, client.id)
  return token => hear(new URLSearchParams({ logout_token: token }))
}

test.for([
  ['a logout token', {}, true],
  ['one without the event', { events: {} }, false],
  ['one with a nonce', { nonce: 'n' }, false],
  ['one without a session', { sid: undefined }, false],
  ['one that is over', { exp: 1_600_000_000 }, false],
  ['one for another client', { aud: 'another' }, false],
  ['one of another kind', { typ: 'JWT' }, false],
  ['one of another issuer', { iss: 'https://globe.example' }, false],
] as const)('the partner’s README knows %s', async ([, change, isTaken]) => {
  const { typ, ...changed }: { typ?: string } = { typ: 'logout+jwt', ...change }
  const [iss, events] = ['https://acme.example', { 'http://schemas.openid.net/event/backchannel-logout': {} }]
  const now = Math.floor(Date.now() / 1_000)
  const claims = { iss, aud: client.id, sub: 'm', sid: 's', jti: 'j', iat: now, exp: now + 120, events }
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const token = await new SignJWT({ ...claims, ...changed })
    .setProtectedHeader({ alg: 'RS256', ...(typ && { typ }) })
    .sign(privateKey)
  const hear = await readHearing(iss, publicKey)
  if (isTaken) expect(await hear(token)).toBe('s')
  else await expect(hear(token)).rejects.toThrow()
})

test('the partner’s README verifies a logout token, and takes no other for one', async () => {
  const platform = await startPlatform()
  closing.push(platform.close)
  const partner = await startLogoutPartner()
  closing.push(partner.close)
  const { id, secret } = client
  const addresses = { redirect_uris: [redirectUri], backchannel_logout_uri: partner.address }
  await applyTenants(platform, [
    { ...acme, clients: [{ client_id: id, name: 'Saltern Pictures', client_secret: secret, ...addresses }] },
  ])

  const issuer = platform.tenantUrl
  const config = await openid.discovery(new URL(issuer), id, secret, undefined, {
    execute: [openid.allowInsecureRequests],
  })
  const asked = openid.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope: 'openid' })
  const back = await signInByCode(asked, {
    email: 'told@example.com',
    letterTo: email => waitForLetter(platform.port, email),
  })
  const tokens = await openid.authorizationCodeGrant(config, back)
  const { sid } = tokens.claims() as JWTPayload & { sid: string }

  // What an administrator of the publisher may do, and the member on the account page.
  const { platformKey } = JSON.parse(await readFile(join(platform.dataDir, 'demo.json'), 'utf8'))
  const ended = await fetch(`${issuer}/api/v1/member-sessions/${sid}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${platformKey}` },
  })
  expect(ended.status).toBe(204)
  await expect.poll(() => partner.told, { timeout: 20_000 }).toHaveLength(1)

  const hear = await readHearing(issuer, createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`)))
  expect(await hear(partner.told[0]?.token ?? '')).toBe(sid)
  for (const other of [tokens.id_token ?? '', tokens.access_token, 'no.token'])
    await expect(hear(other)).rejects.toThrow()
})
