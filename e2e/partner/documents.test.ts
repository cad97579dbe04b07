import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import '../../examples/localhost-names.mjs'
import { needsProgram } from '../../server/src/testing/needs-program.ts'
import { shellBlocks, typeCommands } from '../shell-blocks.ts'
import { startPlatform } from '../start-platform.ts'
import { waitForLetter } from './read-mailbox.ts'
import { signInByCode } from './visit-pages.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, root), 'utf8')

// Time for a slow machine, on which a platform takes its time to start.
const options = { timeout: 90_000 }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

test.skipIf(needsProgram('bash') || needsProgram('curl'))(
  'the README leads from an address to a verified token',
  options,
  async () => {
    const [, section = ''] = /\n## Sign members in\n([\s\S]*?)\n## /.exec(await read('README.md')) ?? []
    const [exchange = '', member = '', userInfo = '', verify = '', ...further] = shellBlocks(section)
    expect(further).toEqual([])
    const platform = await startPlatform()
    closing.push(platform.close)
    const type = (script: string) => typeCommands(script, platform)

    const [address = ''] = /^http:\S+\/oauth\/authorize\S+$/m.exec(section) ?? []
    const comeBack = (more = '') =>
      signInByCode(new URL(address.replace(':3000', `:${platform.port}`) + more), {
        email: `reader${more.length}@example.com`,
        letterTo: email => waitForLetter(platform.port, email),
      })
    const back = await comeBack()
    expect(section).toContain(`\`${back.origin}${back.pathname}?code=`)
    const code = back.searchParams.get('code') ?? ''
    const answered = JSON.parse(await type(exchange.replace('the-code', code)))
    expect(answered).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 2_592_000,
    })
    const token = (script: string) => script.replace('the-token', answered.access_token)
    const { data } = JSON.parse(await type(token(member)))
    expect(data).toMatchObject({ email: 'reader0@example.com' })
    const [first = ''] = token(member).split('\n')
    expect(await type(`${first}\n${verify}`)).toContain(`sub: '${data.id}'`)
    const forged = first.replace(/\.[^.]+$/, `.${'A'.repeat(342)}`)
    await expect(type(`${forged}\n${verify}`)).rejects.toThrow(/signature verification failed/)

    const text = await read('docs/signing-in.md')
    expect(text).toContain('403 with `insufficient_scope` from userinfo')
    await expect(type(`${first}\n${userInfo}`)).rejects.toMatchObject({
      stdout: expect.stringContaining('insufficient_scope'),
    })
    const [, scope = ''] = /`(&scope=openid\S+)`/.exec(section) ?? []
    const codeWithScope = (await comeBack(scope)).searchParams.get('code') ?? ''
    const openId = JSON.parse(await type(exchange.replace('the-code', codeWithScope)))
    expect(Object.keys(openId)).toEqual(['access_token', 'token_type', 'expires_in', 'id_token'])
    const asked = `${first.replace(answered.access_token, openId.access_token)}\n${userInfo}`
    expect(JSON.parse(await type(asked))).toMatchObject({
      email: `reader${scope.length}@example.com`,
      email_verified: true,
    })

    const page = shellBlocks(text)
    const introspect = token(page.find(block => block.includes('/oauth/introspect')) ?? '')
    const revoke = page.find(block => block.includes('/oauth/revoke')) ?? ''
    expect(JSON.parse(await type(introspect))).toMatchObject({ active: true, sub: data.id })
    const settings = introspect.split('curl ', 1)[0]
    expect(await type(settings + revoke)).toBe('{}')
    expect(JSON.parse(await type(introspect))).toEqual({ active: false })
    expect(await type(settings + revoke)).toBe('{}')
  },
)

test.skipIf(needsProgram('bash') || needsProgram('curl'))(
  'docs/signing-in.md registers a client through the API, and by a platform file',
  options,
  async () => {
    const page = await read('docs/signing-in.md')
    const platform = await startPlatform()
    closing.push(platform.close)
    const register = shellBlocks(page).find(block => block.includes('/api/v1/oauth-clients')) ?? ''
    const { data } = JSON.parse(await typeCommands(register, platform))
    expect(data).toMatchObject({
      id: 'saltern',
      attributes: {
        name: 'Saltern Pictures',
        post_logout_redirect_uris: ['https://saltern.example/'],
        backchannel_logout_uri: 'https://saltern.example/logout',
        pkce_required: true,
      },
    })
    expect(data.attributes.client_secret).toMatch(/^usher_client_/)

    const [, file = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
    const path = join(platform.dataDir, 'clients.yaml')
    await writeFile(path, file)
    const [, apply = ''] = /`(npx usher apply clients\.yaml)` prints the secret once/.exec(page) ?? []
    const printed = await typeCommands(apply.replace('clients.yaml', path), platform)
    expect(printed).toMatch(/client box-office .*usher_client_\S+/)
  },
)

test.for([
  ['docs/signing-in.md', 'docs/'],
  ['examples/partner-app/README.md', 'examples/partner-app/'],
])('%s links to what is there', async ([file = '', folder = '']) => {
  const links = [...(await read(file)).matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, path]) => path ?? '')
  expect(links.length).toBeGreaterThan(1)
  for (const path of links) await access(new URL(path, new URL(folder, root)))
})

test('docs/signing-in.md names every address of the discovery document', options, async () => {
  const platform = await startPlatform()
  closing.push(platform.close)
  const issuer = platform.tenantUrl
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
  const addresses = Object.values((await answer.json()) as Record<string, unknown>).filter(
    value => typeof value === 'string' && value.startsWith(`${issuer}/`),
  )
  expect(addresses.length).toBeGreaterThanOrEqual(5)
  const page = await read('docs/signing-in.md')
  for (const address of addresses) expect(page).toContain(String(address).replace(issuer, '`{issuer}'))
  for (const [, path = ''] of page.matchAll(/^\| `\{issuer\}(\/\.well-known\/[^`]+)`/gm))
    expect((await fetch(issuer + path)).status, path).toBe(200)
})
