import { createLocalJWKSet, jwtVerify } from 'jose'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '../../examples/localhost-names.mjs'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { openVisit, startBrowser } from '../browser.ts'
import { type PartnerJourney, startPartnerJourney } from './start-partner-app.ts'
import { readPartnerReadme } from './start-written-app.ts'

describe.skipIf(needsProgram('chromium'))(
  'the partner’s application by OpenID Connect, in a real browser',
  () => {
    let journey: PartnerJourney
    let browser: Browser
    beforeAll(async () => {
      const { text } = await readPartnerReadme()
      const [, SCOPE = ''] = /`SCOPE="([^"]+)" npm run demo`/.exec(text) ?? []
      journey = await startPartnerJourney({ SCOPE, LOOK_AGAIN_S: '0' })
      browser = await startBrowser(findProgram('chromium') ?? '')
    })
    afterAll(async () => {
      await browser?.close()
      await journey?.close()
    })

    test('signs a member in, shows the id_token and what userinfo says, asks silently, and signs out everywhere', async () => {
      const visit = await openVisit(browser)
      const page = await visit.newPage()
      const email = 'openid-reader@example.com'
      await page.goto(journey.origin)
      await page.getByRole('link', { name: 'Sign in with Acme Daily' }).click()
      await page.getByLabel('Mail address').fill(email)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Six-digit code').fill((await journey.letterTo(email)).code)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${journey.origin}/`)
      expect(await page.locator('[data-email]').textContent()).toBe(email)

      await page.getByRole('heading', { name: 'The id_token that Acme Daily gave us' }).waitFor()
      const meaningOf = (claim: string) =>
        page
          .locator('tbody tr', { has: page.getByText(claim, { exact: true }) })
          .locator('td')
          .last()
      expect(await meaningOf('aud').textContent()).toBe('whom it is for: us alone')
      expect(await meaningOf('sid').textContent()).toMatch(/^the session of this browser at the publisher/)
      expect(await page.locator('tbody td:last-child:empty').count()).toBe(0)

      const issuer = journey.platform.tenantUrl
      const keys = await (await fetch(`${issuer}/.well-known/jwks.json`)).json()
      const idToken = (await page.locator('.token').textContent()) ?? ''
      const { payload } = await jwtVerify(idToken, createLocalJWKSet(keys), {
        issuer,
        audience: 'saltern',
        typ: 'JWT',
      })
      expect(payload).toMatchObject({
        azp: 'saltern',
        nonce: expect.any(String),
        at_hash: expect.any(String),
        auth_time: expect.any(Number),
        sid: expect.any(String),
        email,
        email_verified: true,
      })
      expect(JSON.parse((await page.locator('[data-answer]').textContent()) ?? '')).toEqual({
        sub: payload.sub,
        email,
        email_verified: true,
        updated_at: expect.any(Number),
      })

      const silent = page.waitForRequest(request => request.url().includes('prompt=none'))
      await page.reload()
      const asked = new URL((await silent).url()).searchParams
      expect([asked.get('scope'), asked.get('nonce')]).toEqual([
        'openid profile email',
        expect.stringMatching(/^[\w-]{43}$/),
      ])
      await page.waitForURL(`${journey.origin}/`)
      expect(await page.locator('[data-email]').textContent()).toBe(email)

      const leaving = page.waitForRequest(request => request.url().startsWith(`${issuer}/oauth/logout`))
      await page.getByRole('button', { name: 'Sign out of Acme Daily too' }).click()
      expect(Object.fromEntries(new URL((await leaving).url()).searchParams)).toEqual({
        client_id: 'saltern',
        id_token_hint: idToken,
        post_logout_redirect_uri: `${journey.origin}/?signed-out`,
      })
      await page.getByRole('status').getByText('You are signed out').waitFor()
      expect(page.url()).toBe(`${journey.origin}/?signed-out`)
      await page.getByRole('link', { name: 'Sign in with Acme Daily' }).click()
      await page.getByLabel('Mail address').waitFor()
      await visit.close()
    })
  },
)
