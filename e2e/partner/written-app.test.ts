import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import '../../examples/localhost-names.mjs'
import { needsProgram } from '../../server/src/testing/needs-program.ts'
import { acme, applyTenants } from '../apply-tenants.ts'
import { shellBlocks, typeCommands } from '../shell-blocks.ts'
import { startPlatform } from '../start-platform.ts'
import { findPort } from '../start-program.ts'
import { type Letter, waitForLetter } from './read-mailbox.ts'
import { startHttpsPlatform } from './start-https-platform.ts'
import { readPartnerReadme, startCommand, startWrittenApp } from './start-written-app.ts'
import { signInByCode } from './visit-pages.ts'

// Time for a slow machine, on which a platform takes its time to start.
const options = { timeout: 90_000 }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** The platform as `npm start` starts it, whose demo's client is at another port. */
async function startDemoPlatform(redirectUri: string) {
  const platform = await startPlatform()
  closing.push(platform.close)
  const clients = [{ client_id: 'partner', name: 'Saltern Pictures', redirect_uris: [redirectUri] }]
  await applyTenants(platform, [{ ...acme, clients }])
  return platform
}

/** Begins a sign-in at the application, as a window of a browser that has these cookies. */
async function begin(origin: string) {
  const begun = await fetch(origin, { redirect: 'manual' })
  expect(begun.status).toBe(303)
  const cookie = begun.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  return { cookie, address: new URL(begun.headers.get('location') ?? '') }
}

interface Publisher {
  letterTo: (email: string) => Promise<Letter>
}

async function signsIn(origin: string, publisher: Publisher): Promise<void> {
  await expect.poll(() => fetch(origin, { redirect: 'manual' }).then(({ status }) => status)).toBe(303)
  const windows = [await begin(origin), await begin(origin)]
  const cookie = windows.map(({ cookie }) => cookie).join('; ')
  // What browsers ask for beside the page disturbs nothing.
  expect((await fetch(`${origin}/favicon.ico`, { headers: { cookie } })).status).toBe(404)
  for (const { address } of windows) {
    const email = `${crypto.randomUUID()}@example.com`
    const back = await signInByCode(address, { email, ...publisher })
    const stolen = await fetch(back)
    expect([stolen.status, await stolen.text()]).toEqual([
      400,
      `This sign-in is over, or was not begun in this browser. Try again: ${origin}/`,
    ])
    const welcome = await fetch(back, { headers: { cookie } })
    expect(await welcome.text()).toMatch(/^You are the member [0-9a-f-]{36}\.$/)
    // The cookie of this window's sign-in goes, so that a reload is told what it is.
    const [name] = welcome.headers.getSetCookie()[0]?.split('=') ?? []
    expect(welcome.headers.getSetCookie()).toEqual([`${name}=; Path=/callback; Max-Age=0`])
    expect(windows.some(({ cookie }) => cookie.startsWith(`${name}=`))).toBe(true)
    const again = await fetch(back, { headers: { cookie } })
    expect(again.status).toBe(400)
  }
  expect((await fetch(`${origin}/elsewhere`)).status).toBe(404)
}

describe('the whole application in the README of the partner’s', () => {
  test('is short', async () => {
    const { code } = await readPartnerReadme()
    expect(code.split('\n').filter(line => line.trim()).length).toBeLessThan(35)
  })

  test.skipIf(needsProgram('openssl') || needsProgram('bash'))(
    'signs members in under https',
    options,
    async () => {
      const origin = `http://127.0.0.1:${await findPort()}`
      const platform = await startHttpsPlatform(`${origin}/callback`)
      closing.push(platform.close)
      const trusted = getCACertificates('default')
      setDefaultCACertificates([...trusted, platform.certificate])
      closing.push(() => setDefaultCACertificates(trusted))
      closing.push(
        await startWrittenApp('node sign-in.mjs', {
          ISSUER: platform.issuer,
          CLIENT_ID: platform.client.id,
          CLIENT_SECRET: platform.client.secret,
          REDIRECT_URI: platform.client.redirectUri,
          NODE_EXTRA_CA_CERTS: platform.certificateFile,
        }),
      )
      await signsIn(origin, platform)
    },
  )

  test.skipIf(needsProgram('bash'))('stands before a command that starts the larger one', async () => {
    const { text } = await readPartnerReadme()
    const [command = ''] = shellBlocks(text).filter(block => block.includes('npm start'))
    const app = startCommand(command, {
      env: {
        ISSUER: 'https://members.acme.example',
        CLIENT_ID: 'saltern',
        CLIENT_SECRET: 'a-secret',
        REDIRECT_URI: 'https://saltern.example/callback',
        PARTNER_PORT: '0',
      },
    })
    closing.push(app.end)
    await expect.poll(app.stdout).toContain('Saltern Pictures is at')
  })

  test.skipIf(needsProgram('bash') || needsProgram('curl'))(
    'stands before lines that move the larger one to another port',
    options,
    async () => {
      const { text } = await readPartnerReadme()
      const [register = '', start = '', ...further] = shellBlocks(text).filter(block =>
        block.includes(':4300'),
      )
      expect(further).toEqual([])
      const platform = await startPlatform()
      closing.push(platform.close)
      const port = await findPort()
      const moved = (script: string) => script.replaceAll(':4300', `:${port}`)
      const { data } = JSON.parse(await typeCommands(moved(register), platform))
      expect(data.attributes).toMatchObject({
        redirect_uris: ['http://127.0.0.1:4000/callback', `http://127.0.0.1:${port}/callback`],
        post_logout_redirect_uris: [
          'http://127.0.0.1:4000/?signed-out',
          `http://127.0.0.1:${port}/?signed-out`,
        ],
      })
      const env = { USHER_PORT: `${platform.port}`, USHER_DATA_DIR: platform.dataDir }
      const app = startCommand(moved(start), { env })
      closing.push(app.end)
      await expect.poll(app.stdout, options).toContain(`Saltern Pictures is at http://127.0.0.1:${port}`)
      const asked = await fetch(`http://127.0.0.1:${port}/sign-in`, { redirect: 'manual' })
      const page = await fetch(asked.headers.get('location') ?? '')
      // The sign-in page, and not the error page of an address that is not registered.
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Mail address')])
    },
  )

  test.skipIf(needsProgram('bash'))(
    'signs members in against the platform that npm start starts, by the commands below it',
    options,
    async () => {
      const { text } = await readPartnerReadme()
      const commands = shellBlocks(text).filter(block => block.includes('sign-in.mjs'))
      expect(commands).toHaveLength(1)
      const port = await findPort()
      const origin = `http://127.0.0.1:${port}`
      const platform = await startDemoPlatform(`${origin}/callback`)
      const command = (commands[0] ?? '')
        .replaceAll(':3000', `:${platform.port}`)
        .replaceAll(':4000', `:${port}`)
        .replaceAll('./data', platform.dataDir)
      closing.push(await startWrittenApp(command, {}))
      await signsIn(origin, {
        letterTo: email => waitForLetter(platform.port, email),
      })
    },
  )
})
