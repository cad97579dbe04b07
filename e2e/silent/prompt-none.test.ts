import { readFile } from 'node:fs/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SignIn, SignInOptions } from '../../sdk/src/sign-in/api.ts'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { shellBlocks, typeCommands } from '../shell-blocks.ts'
import { type Silent, startSilent, watchRequests } from './start-silent.ts'

const AUTHORIZE = '/oauth/authorize'

describe.skipIf(needsProgram('chromium'))(
  'signing in by redirect, in a real browser',
  { timeout: 90_000 },
  () => {
    let silent: Silent
    let visit: BrowserContext
    let page: Page
    beforeAll(async () => {
      silent = await startSilent(findProgram('chromium') ?? '')
    })
    afterAll(() => silent?.close())
    beforeEach(async () => {
      visit = await silent.openVisit()
      page = await visit.newPage()
    })
    afterEach(() => visit.close())

    const backUri = () => silent.redirectUris[0] ?? ''
    /** Calls signIn on the page, which leaves. */
    async function leave(from: Page, options: Partial<SignInOptions> = {}): Promise<void> {
      await from.goto(silent.local)
      await from.evaluate(
        asked => {
          void (window.usher as unknown as SignIn).signIn(asked)
        },
        { clientId: 'pages', redirectUri: backUri(), returnTo: '/sport', ...options },
      )
    }
    async function comesBack(to: Page) {
      await to.waitForURL(url => url.origin === silent.local && url.searchParams.has('state'))
      return to.evaluate(() => (window.usher as unknown as SignIn).completeSignIn())
    }

    test('shows the hosted page, and the publisher’s server exchanges what the browser comes back with', async () => {
      await leave(page)
      const email = await silent.typeSignIn(page)
      const answer = await comesBack(page)
      expect(answer).toEqual({
        status: 'authenticated',
        code: expect.stringMatching(/^.{64}$/),
        codeVerifier: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]{43}$/),
        clientId: 'pages',
        redirectUri: backUri(),
        returnTo: '/sport',
      })
      expect(page.url()).toBe(backUri())
      expect(await page.evaluate(() => (window.usher as unknown as SignIn).completeSignIn())).toEqual({
        status: 'none',
      })
      if (answer.status !== 'authenticated') throw new Error('no code')
      const { code, codeVerifier: code_verifier } = answer
      const redirect_uri = backUri()
      expect(await silent.exchange(code, { redirect_uri })).toBe('invalid_grant')
      expect(await silent.exchange(code, { redirect_uri, code_verifier })).toMatchObject({ email })
      const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
      expect(kept).not.toContain(code_verifier)
      expect(kept).not.toContain(code)
    })

    test.skipIf(needsProgram('bash') || needsProgram('curl'))(
      'by hand gives both answers, as docs/silent-sign-in.md says',
      async () => {
        const docs = await readFile(new URL('../../docs/silent-sign-in.md', import.meta.url), 'utf8')
        const command = shellBlocks(docs).find(block => block.includes('prompt=none')) ?? ''
        const [, address = ''] = /"(http:[^"]+)"/.exec(command) ?? []
        const promised = [...docs.matchAll(/^\| .+ \| `(http.+)` \|$/gm)].map(
          ([, text = '']) => new RegExp(`^${text.replaceAll(/[.?]/g, '\\$&').replaceAll('…', '[^&]+')}$`),
        )
        expect(promised).toHaveLength(2)
        const ask = async (token: string) =>
          (await typeCommands(`TOKEN=${token}; ${command}`, silent.platform)).trim()
        expect(await ask('')).toMatch(promised[1] ?? '')
        await silent.signIn(visit)
        const token = (await visit.cookies(silent.tenantUrl)).find(({ name }) => name === '_SERVICET')?.value
        expect(await ask(token ?? '')).toMatch(promised[0] ?? '')
        // Nobody listens there.
        const sentBack = page.waitForRequest('http://127.0.0.1:4000/**')
        void page.goto(address.replace(':3000', `:${silent.platform.port}`)).catch(() => {})
        expect((await sentBack).url()).toMatch(promised[0] ?? '')
      },
    )

    test('goes on in the tab that the link of the mail opens', async () => {
      await leave(page)
      const email = await silent.askForMail(page)
      const fromMail = await visit.newPage()
      await fromMail.goto((await silent.letterTo(email)).link)
      await fromMail.getByRole('button', { name: 'Sign in' }).click()
      expect(await comesBack(fromMail)).toMatchObject({ status: 'authenticated', returnTo: '/sport' })
    })

    test('with prompt=none finds the member without a page, from another site', async () => {
      const email = await silent.signIn(visit)
      const pages: string[] = []
      page.on('domcontentloaded', () => void pages.push(new URL(page.url()).origin))
      await leave(page, { prompt: 'none' })
      const answer = await comesBack(page)
      if (answer.status !== 'authenticated') throw new Error(JSON.stringify(answer))
      expect(
        await silent.exchange(answer.code, { redirect_uri: backUri(), code_verifier: answer.codeVerifier }),
      ).toMatchObject({ email })
      expect(new Set(pages)).toEqual(new Set([silent.local]))
    })

    test('with prompt=none brings back login_required where nobody is', async () => {
      await leave(page, { prompt: 'none' })
      expect(await comesBack(page)).toMatchObject({
        status: 'refused',
        error: 'login_required',
        returnTo: '/sport',
      })
      expect(page.url()).toBe(backUri())
    })

    test('takes no answer that this browser did not ask for', async () => {
      const other = await silent.openVisit()
      await silent.signIn(other)
      const attacker = await other.newPage()
      await leave(attacker, { prompt: 'none' })
      await attacker.waitForURL(url => url.searchParams.has('code'))
      await page.goto(attacker.url())
      expect(await comesBack(page)).toMatchObject({ status: 'refused', error: 'state_mismatch' })
      expect(page.url()).toBe(backUri())
      await other.close()
    })

    test.for([
      ['/asking', 1, 'login_required'],
      ['/forgetful', 2, 'loop'],
    ] as const)('does not loop where %s asks whenever it loads', async ([path, redirects, reason]) => {
      const requests = await watchRequests(page, AUTHORIZE)
      const settled = () => page.waitForFunction(() => window.asked?.status === 'refused')
      await page.goto(silent.local + path)
      await settled()
      for (let n = 0; n < 3; n++) {
        await page.goto(silent.local + path)
        await settled()
      }
      expect(await page.evaluate(() => window.asked)).toEqual({ status: 'refused', reason })
      expect(requests).toEqual(Array(redirects).fill('GET'))
      if (path !== '/asking') return
      await silent.signIn(visit)
      const fresh = await visit.newPage()
      await fresh.clock.setSystemTime(Date.now() + 61_000)
      await fresh.goto(silent.local + path)
      await fresh.waitForFunction(() => window.answer?.status === 'authenticated')
    })

    test('in a frame nobody is signed in, pages are not shown, and the SDK says so', async () => {
      await silent.signIn(visit)
      const warnings: string[] = []
      page.on('console', message => void warnings.push(message.text()))
      await page.goto(silent.news)
      const address = (prompt: string) =>
        `${silent.tenantUrl}${AUTHORIZE}?${new URLSearchParams({
          client_id: 'pages',
          redirect_uri: backUri(),
          response_type: 'code',
          state: 'framed',
          ...(prompt && { prompt }),
        })}`
      const open = (src: string) =>
        page.evaluate(address => {
          document.querySelector('iframe')?.remove()
          const frame = document.createElement('iframe')
          frame.src = address
          document.body.append(frame)
        }, src)
      const frameUrl = () => page.frames().at(-1)?.url() ?? ''

      await open(address('none'))
      await expect.poll(frameUrl).toContain(`${backUri()}?error=login_required`)
      await open(address(''))
      await expect.poll(frameUrl).toMatch(/^chrome-error:/)
      expect(warnings.join()).toMatch(/X-Frame-Options|frame-ancestors/)

      await open(silent.local)
      await expect.poll(frameUrl).toBe(`${silent.local}/`)
      const frame = page.frames().at(-1)
      const asked = await frame?.evaluate(() =>
        (window.usher as unknown as SignIn).signIn({
          clientId: 'pages',
          redirectUri: `${location.origin}/back`,
          prompt: 'none',
        }),
      )
      expect(asked).toEqual({ status: 'refused', reason: 'frame' })
      expect(warnings.join()).toContain('usher: signIn: not in a frame')
    })
  },
)
