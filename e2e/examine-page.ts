import axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'

declare global {
  interface Window {
    /** What `examinePage` puts into a page. */
    axe: typeof axe
  }
}

/** The looks that every page has to stand. */
export const looks: [string, BrowserContextOptions][] = [
  ['light, on a desktop', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  [
    'dark, on a phone',
    { colorScheme: 'dark', viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
  ],
]

/** Expects that axe finds nothing in a page, and that nothing of it is wider than the window. */
export async function examinePage(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => [id, nodes[0]?.html])
  })
  expect(found).toEqual([])
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
  expect(width[0]).toBe(width[1])
  expect(await page.locator('main').count()).toBe(1)
}
