import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../server/src/testing/needs-program.ts'
import { openVisit, startBrowser } from './browser.ts'
import { type RunningPlatform, startPlatform } from './start-platform.ts'

describe.skipIf(needsProgram('chromium'))('the reference at /docs', { timeout: 90_000 }, () => {
  let platform: RunningPlatform
  let browser: Browser

  beforeAll(async () => {
    platform = await startPlatform()
    browser = await startBrowser(findProgram('chromium') ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await platform?.close()
  })

  test('shows every operation, and asks nothing of any other host', async () => {
    const home = `http://platform.localhost:${platform.port}`
    const visit = await openVisit(browser)
    const elsewhere: string[] = []
    const faults: string[] = []
    visit.on('request', request => {
      const url = request.url()
      if (!/^(?:data|blob):/.test(url) && new URL(url).origin !== home) elsewhere.push(url)
    })
    visit.on('console', message => {
      if (message.type() === 'error') faults.push(message.text())
    })
    visit.on('weberror', ({ error }) => void faults.push(String(error())))
    const page = await visit.newPage()
    await page.goto(`${home}/docs`)

    const { paths } = JSON.parse((await platform.call('GET', '/api/v1/openapi.json')).body)
    const operations: { summary: string }[] = Object.values<Record<string, { summary: string }>>(
      paths,
    ).flatMap(path => Object.values(path))
    expect(operations.length).toBeGreaterThanOrEqual(10)
    for (const { summary } of operations) await page.getByText(summary).first().waitFor({ state: 'attached' })

    // A look into an operation is where fonts, icons or an API client would be fetched from elsewhere.
    await page.getByText('Remove events from the front of the queue').first().click()
    await page.getByText('first_id').first().waitFor({ state: 'attached' })
    await page.waitForTimeout(1500)
    expect(elsewhere).toEqual([])
    expect(faults).toEqual([])
    await visit.close()
  })
})
