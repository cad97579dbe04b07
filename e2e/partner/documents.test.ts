import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { fetchLocalhost } from '../../examples/partner-app/fetch-localhost.ts'
import { needsProgram } from '../../server/src/testing/needs-program.ts'
import { shellBlocks, typeCommands } from '../shell-blocks.ts'
import { startPlatform } from '../start-platform.ts'
import { findPort } from '../start-program.ts'
import { waitForLetter } from './read-mailbox.ts'
import { startHttpsPlatform } from './start-https-platform.ts'
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
    const [exchange = '', member = '', verify = '', ...further] = shellBlocks(section)
    expect(further).toEqual([])
    const platform = await startPlatform()
    closing.push(platform.close)
    const type = (script: string) => typeCommands(script, platform)

    const [address = ''] = /^http:\S+\/oauth\/authorize\S+$/m.exec(section) ?? []
    const back = await signInByCode(new URL(address.replace(':3000', `:${platform.port}`)), {
      email: 'reader@example.com',
      letterTo: email => waitForLetter(platform.port, email),
      fetch: fetchLocalhost,
    })
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
    expect(data).toMatchObject({ email: 'reader@example.com' })
    const [first = ''] = token(member).split('\n')
    expect(await type(`${first}\n${verify}`)).toContain(`sub: '${data.id}'`)
    const forged = first.replace(/\.[^.]+$/, `.${'A'.repeat(342)}`)
    await expect(type(`${forged}\n${verify}`)).rejects.toThrow(/signature verification failed/)
  },
)

describe('the README of the partner’s application', () => {
  test.skipIf(needsProgram('openssl'))(
    'shows a whole application, which signs a member in as it stands',
    options,
    async () => {
      const [, code = ''] = /```js\n([\s\S]*?)```/.exec(await read('examples/partner-app/README.md')) ?? []
      expect(code.trim().split('\n').filter(Boolean).length).toBeLessThan(30)
      const origin = `http://127.0.0.1:${await findPort()}`
      const platform = await startHttpsPlatform(`${origin}/callback`)
      closing.push(platform.close)
      const trusted = getCACertificates('default')
      setDefaultCACertificates([...trusted, platform.certificate])
      closing.push(() => setDefaultCACertificates(trusted))
      const folder = await mkdtemp(join(tmpdir(), 'usher-partner-'))
      closing.push(() => rm(folder, { recursive: true, force: true }))
      await writeFile(join(folder, 'sign-in.mjs'), code)
      await symlink(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'), 'junction')
      const app = spawn(process.execPath, ['sign-in.mjs'], {
        cwd: folder,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: {
          ISSUER: platform.issuer,
          CLIENT_ID: platform.client.id,
          CLIENT_SECRET: platform.client.secret,
          REDIRECT_URI: platform.client.redirectUri,
          NODE_EXTRA_CA_CERTS: platform.certificateFile,
        },
      })
      const over = once(app, 'close')
      closing.push(async () => {
        app.kill()
        await over
      })

      await expect.poll(() => fetch(origin, { redirect: 'manual' }).then(({ status }) => status)).toBe(303)
      const begun = await fetch(origin, { redirect: 'manual' })
      const cookie = begun.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
      const back = await signInByCode(new URL(begun.headers.get('location') ?? ''), {
        email: 'reader@example.com',
        letterTo: platform.letterTo,
      })
      const welcome = await fetch(back, { headers: { cookie } })
      expect(await welcome.text()).toMatch(/^You are the member [0-9a-f-]{36}\.$/)
      const again = await fetch(back, { headers: { cookie } })
      expect(again.status).toBe(400)
    },
  )
})

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
  const answer = await fetchLocalhost(`${issuer}/.well-known/openid-configuration`)
  const addresses = Object.values((await answer.json()) as Record<string, unknown>).filter(
    value => typeof value === 'string' && value.startsWith(`${issuer}/`),
  )
  expect(addresses.length).toBeGreaterThanOrEqual(5)
  const page = await read('docs/signing-in.md')
  for (const address of addresses) expect(page).toContain(String(address).replace(issuer, '`{issuer}'))
  for (const [, path = ''] of page.matchAll(/^\| `\{issuer\}(\/\.well-known\/[^`]+)`/gm))
    expect((await fetchLocalhost(issuer + path)).status, path).toBe(200)
})
