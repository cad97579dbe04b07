import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readSettings } from './read-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'usher-partner-'))
afterAll(() => rmSync(folder, { recursive: true }))

const given = {
  ISSUER: 'https://members.acme.example',
  CLIENT_ID: 'saltern',
  CLIENT_SECRET: 'a secret',
  REDIRECT_URI: 'https://saltern.example/callback',
  PARTNER_PORT: '8080',
}

describe('the settings of the partner’s application', () => {
  test('come from the environment', () => {
    expect(readSettings(given)).toEqual({
      issuer: new URL('https://members.acme.example'),
      clientId: 'saltern',
      clientSecret: 'a secret',
      redirectUri: new URL('https://saltern.example/callback'),
      port: 8080,
      publisher: 'members.acme.example',
      lookAgainS: 10,
      scope: [],
    })
    expect(readSettings({ ...given, SCOPE: 'openid  email' }).scope).toEqual(['openid', 'email'])
  })

  test('are those of the demo where the environment has none', () => {
    const tenant = {
      name: 'Acme Daily',
      domain: 'members.acme.localhost',
      client: { id: 'partner', secret: 'made', redirectUri: 'http://127.0.0.1:4000/callback' },
    }
    writeFileSync(join(folder, 'demo.json'), JSON.stringify({ tenant }))
    expect(readSettings({ USHER_DATA_DIR: folder, USHER_PORT: '3100' })).toEqual({
      issuer: new URL('http://members.acme.localhost:3100'),
      clientId: 'partner',
      clientSecret: 'made',
      redirectUri: new URL('http://127.0.0.1:4000/callback'),
      port: 4000,
      publisher: 'Acme Daily',
      lookAgainS: 10,
      scope: [],
    })
  })

  test.for([
    ['no file and no client', { USHER_DATA_DIR: '/nonexistent' }, /Set ISSUER.*\nSet CLIENT_ID/],
    ['a client without a secret', { ...given, CLIENT_SECRET: undefined }, /^Set CLIENT_SECRET/],
    ['an address that is none', { ...given, ISSUER: 'members' }, /^ISSUER must be/],
    ['another protocol', { ...given, REDIRECT_URI: 'app://callback' }, /^REDIRECT_URI must be/],
    ['a time that is none', { ...given, LOOK_AGAIN_S: 'soon' }, /^LOOK_AGAIN_S must be/],
    ['a port that is none', { ...given, PARTNER_PORT: '-1' }, /^PARTNER_PORT must be/],
  ] as const)('with %s say what to set', ([, env, message]) => {
    expect(() => readSettings(env)).toThrow(message)
  })
})
