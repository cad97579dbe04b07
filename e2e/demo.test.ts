import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../server/src/testing/needs-program.ts'
import { acme, applyTenants } from './apply-tenants.ts'
import { openVisit, startBrowser } from './browser.ts'
import { waitForLetter } from './partner/read-mailbox.ts'
import { findPort, type Program, startProgram } from './start-program.ts'

let dataDir: string
let port: number
let demo: Program

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'usher-demo-'))
  port = await findPort()
})
afterEach(async () => {
  await demo.end('SIGINT')
  rmSync(dataDir, { recursive: true, force: true })
})

const startDemo = (env: Record<string, string> = {}) => {
  demo = startProgram('examples/demo.ts', {
    USHER_PORT: `${port}`,
    USHER_DATA_DIR: dataDir,
    SITE_PORT: '0',
    PARTNER_PORT: '0',
    ...env,
  })
}

/** The status of a request to a host of this machine; undefined where nobody listens. */
function statusOf(host: string, atPort: number, path: string, body?: string): Promise<number | undefined> {
  return new Promise(resolve => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: atPort,
        path,
        method: body ? 'POST' : 'GET',
        agent: false,
        headers: { host: `${host}:${atPort}`, 'content-type': 'text/plain' },
      },
      response => {
        response.resume()
        response.on('end', () => resolve(response.statusCode))
      },
    )
    sent.on('error', () => resolve(undefined))
    sent.end(body)
  })
}

describe('npm run demo', () => {
  test('starts platform, site, partner and consumer, prints an event that is sent, and ends all four on Ctrl-C', async () => {
    startDemo()
    const [, sitePort] = await demo.line(/^site +│ .*http:\/\/news\.acme\.localhost:(\d+)/)
    await demo.line(/^ {2}Open {2}http:\/\/news\.acme\.localhost:/)
    await demo.line(/^consumer │ Reading the events of http:\/\/platform\.localhost:/)
    expect(await statusOf('news.acme.localhost', Number(sitePort), '/')).toBe(200)
    const [, partnerPort] = await demo.line(/^partner +│ .*http:\/\/127\.0\.0\.1:(\d+)/)
    // It has found the tenant, and sends the browser there.
    expect(await statusOf('127.0.0.1', Number(partnerPort), '/sign-in')).toBe(303)

    const event = {
      id: randomUUID(),
      type: 'page_view',
      session_id: 'a-session',
      url: `http://news.acme.localhost:${sitePort}/sport`,
      event_sequence: 7,
    }
    const collected = await statusOf(
      'members.acme.localhost',
      port,
      '/api/sdk/events',
      JSON.stringify({ events: [event] }),
    )
    expect(collected).toBe(202)
    await demo.line(
      /^consumer │ \d\d:\d\d:\d\d page_view +news\.acme\.localhost\/sport · session …ession #7$/,
    )

    expect(await demo.end('SIGINT')).toBe(0)
    expect(await statusOf('platform.localhost', port, '/livez')).toBeUndefined()
    expect(await statusOf('news.acme.localhost', Number(sitePort), '/')).toBeUndefined()
    expect(await statusOf('127.0.0.1', Number(partnerPort), '/')).toBeUndefined()
    expect(demo.lines.filter(line => /error|ended/i.test(line))).toEqual([])
  })

  test.skipIf(needsProgram('chromium'))(
    'greets on the site who signed in at the partner’s, and knows a stranger on both after signing out',
    { timeout: 120_000 },
    async () => {
      const [sitePort, partnerPort] = [await findPort(), await findPort()]
      const redirectUri = `http://127.0.0.1:${partnerPort}/callback`
      startDemo({
        SITE_PORT: `${sitePort}`,
        PARTNER_PORT: `${partnerPort}`,
        REDIRECT_URI: redirectUri,
        LOOK_AGAIN_S: '0',
      })
      await demo.line(/^ {2}Sign in as a member at/)
      await demo.line(/^ {2}Open {2}/)
      // At other ports than the demo's own, as here, its clients have to be told.
      const news = `http://news.acme.localhost:${sitePort}`
      await applyTenants({ port, dataDir }, [
        {
          ...acme,
          clients: [
            { client_id: 'partner', name: 'Saltern Pictures', redirect_uris: [redirectUri] },
            {
              client_id: 'news',
              name: 'Acme Daily',
              redirect_uris: ['http://127.0.0.1:4100/signed-in'],
              allowed_origins: [news],
            },
          ],
        },
      ])
      const browser = await startBrowser(findProgram('chromium') ?? '')
      try {
        const visit = await openVisit(browser)
        const ticket = await visit.newPage()
        await ticket.goto(`http://127.0.0.1:${partnerPort}`)
        await ticket.getByRole('link', { name: 'Sign in with Acme Daily' }).click()
        await ticket.getByLabel('Mail address').fill('reader@example.com')
        await ticket.getByRole('button', { name: 'Continue' }).click()
        const { code } = await waitForLetter(port, 'reader@example.com')
        await ticket.getByLabel('Six-digit code').fill(code)
        await ticket.getByRole('button', { name: 'Sign in' }).click()
        await ticket.getByText('Admit one').waitFor()

        const page = await visit.newPage()
        await page.goto(news)
        await page.getByText('Good to see you, reader@example.com').waitFor()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('link', { name: 'Sign in' }).waitFor()
        await page.reload()
        await page.getByRole('link', { name: 'Sign in' }).waitFor()
        await ticket.reload()
        await ticket.getByText('signed out elsewhere').waitFor()
      } finally {
        await browser.close()
      }
    },
  )

  test('ends with the platform’s own line where its port is in use', async () => {
    const occupant = createServer().listen(port, '127.0.0.1')
    try {
      await once(occupant, 'listening')
      startDemo()
      await demo.line(new RegExp(`^platform │ .*${port}.* in use`))
      expect(await demo.finish()).toBe(1)
      expect(demo.lines.filter(line => /^(?:site|partner|consumer)/.test(line))).toEqual([])
    } finally {
      occupant.close()
    }
  })

  test('ends with the exit code of the program that ends', async () => {
    const occupant = createServer().listen(0, '127.0.0.1')
    try {
      await once(occupant, 'listening')
      const sitePort = (occupant.address() as AddressInfo).port
      startDemo({ SITE_PORT: `${sitePort}` })
      await demo.line(new RegExp(`^site +│ Port ${sitePort} is in use`))
      expect(await demo.finish()).toBe(1)
      expect(await statusOf('platform.localhost', port, '/livez')).toBeUndefined()
    } finally {
      occupant.close()
    }
  })
})
