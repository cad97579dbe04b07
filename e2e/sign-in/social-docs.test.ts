import { access, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needsProgram } from '../../server/src/testing/needs-program.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../server/src/testing/social/openid-provider.ts'
import { shellBlocks, typeCommands } from '../shell-blocks.ts'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'

const folder = new URL('../../docs/', import.meta.url)
const page = await readFile(new URL('social-login.md', folder), 'utf8')

test('docs/social-login.md links to what is there', async () => {
  const links = [...page.matchAll(/\]\((?!http)([^)#]+)[^)]*\)/g)].map(([, path]) => path ?? '')
  expect(links.length).toBeGreaterThan(1)
  for (const path of links) await access(new URL(path, folder))
})

describe.skipIf(needsProgram('bash') || needsProgram('curl'))('the command of docs/social-login.md', () => {
  let platform: RunningPlatform
  let provider: OpenIdProvider
  beforeAll(async () => {
    platform = await startPlatform()
    const redirectUris = [`${platform.tenantUrl}/sign-in/social/staff/callback`]
    provider = await startOpenIdProvider({ redirectUris })
  })
  afterAll(async () => {
    await provider?.close()
    await platform?.close()
  })
  const type = (secret: string) => {
    const [command = '', ...further] = shellBlocks(page)
    expect(further).toEqual([])
    const told = command.replace('https://idp.example', provider.issuer).replace('the-secret', secret)
    return typeCommands(told, platform)
  }

  test('is told of a wrong secret as the page has it, and with the right one adds the provider', async () => {
    const refused = await type('another').catch(error => String(error.stdout))
    const words = 'client_secret was refused by Staff (invalid_client)'
    expect(refused).toContain(words)
    expect(page).toContain(words.replace('Staff', 'Google'))
    const { data } = JSON.parse(await type(provider.clientSecret))
    const { redirect_uri: redirectUri } = data.attributes
    expect([data.id, redirectUri]).toEqual(['staff', `${platform.tenantUrl}/sign-in/social/staff/callback`])
    const [, form = ''] = /```\n(https:.*)\n```/.exec(page) ?? []
    const written = form.replace('https://{tenant_domain}', platform.tenantUrl).replace('{id}', 'staff')
    expect(redirectUri).toBe(written)
  })
})
