import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { openReader, type Reader } from './open-reader.ts'
import { type StartedSurroundings, startSurroundings } from './surroundings.ts'
import { until } from './until.ts'

const STORY = '/city/the-last-ferry-home'

/** What the SDK keeps in the browser. */
const kept = (reader: Reader) =>
  reader.visit.pages()[0]?.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('usher')))

describe.skipIf(needsProgram('chromium'))('the SDK in a page', { timeout: 120_000 }, () => {
  let around: StartedSurroundings
  beforeAll(async () => {
    around = await startSurroundings(findProgram('chromium') ?? '')
  })
  afterAll(() => around?.[Symbol.asyncDispose]())

  /** A reader whose pages ask for consent. */
  async function openAskedReader(): Promise<Reader> {
    const news = await around.openSite(`<script async data-consent src="${around.scriptUrl}"></script>`)
    return openReader({ ...around, news })
  }

  test.concurrent('holds everything back until consent is given, for this page and those to come', async () => {
    await using reader = await openAskedReader()
    const page = await reader.open(STORY)
    await reader.track(page, 3)
    await page.waitForTimeout(1500)
    expect(reader.sent()).toEqual([])
    expect(await kept(reader)).toEqual([])
    await page.evaluate(() => window.usher?.consent(true))
    await reader.open('/sport', page)
    await reader.expectEven()
    // The address is that of the moment, not of the answer.
    const clicks = (await reader.delivered()).filter(({ type }) => type === 'clicked')
    expect(clicks.map(({ page_path }) => page_path)).toEqual([STORY, STORY, STORY])
  })

  test.concurrent('drops what was held back when consent is refused, and keeps the refusal alone', async () => {
    await using reader = await openAskedReader()
    const page = await reader.open()
    await reader.track(page, 3)
    await page.evaluate(() => window.usher?.consent(false))
    await reader.track(page, 3)
    await reader.open('/sport', page)
    await page.waitForTimeout(1500)
    expect(reader.sent()).toEqual([])
    const keys = (await kept(reader)) ?? []
    expect(keys).toEqual([expect.stringMatching(/^usher:consent:/)])
    expect(reader.pageErrors).toEqual([])
  })

  test.concurrent.for([
    ['Do Not Track', 'doNotTrack', '1'],
    ['Global Privacy Control', 'globalPrivacyControl', true],
  ] as const)('records nothing and keeps nothing under %s', async ([, name, value]) => {
    await using reader = await openReader(around)
    await reader.visit.addInitScript(
      ([property, says]) => Object.defineProperty(navigator, property, { get: () => says }),
      [name, value] as const,
    )
    const page = await reader.open(STORY)
    await reader.track(page, 3)
    await page.evaluate(() => window.usher?.consent(true))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.goto(`${reader.site}/sport`)
    await page.waitForTimeout(1500)
    expect(reader.sent()).toEqual([])
    expect(await kept(reader)).toEqual([])
    expect(reader.pageErrors).toEqual([])
  })

  test.concurrent("sends the member's token with what was tracked for that member, and with nothing else", async () => {
    await using reader = await openReader(around)
    const setToken = (value: string) =>
      reader.visit.addCookies([{ name: '_SERVICET', value, domain: '.acme.localhost', path: '/' }])
    const page = await reader.open()
    await until('a request', () => reader.sent().length === 1)
    await setToken('header.payload.signature-of-ada')
    await reader.track(page, 1)
    await until('a request', () => reader.sent().length === 2)
    await reader.visit.setOffline(true)
    await reader.track(page, 1)
    // Somebody else signs in before there is a network again.
    await setToken('header.payload.signature-of-bob')
    await reader.track(page, 1)
    await reader.visit.setOffline(false)
    await reader.expectEven()
    expect(reader.sent().map(({ token, ids }) => [token, ids.length])).toEqual([
      [undefined, 1],
      ['header.payload.signature-of-ada', 1],
      [undefined, 1],
      ['header.payload.signature-of-bob', 1],
    ])
    expect(JSON.stringify(await page.evaluate(() => ({ ...localStorage })))).not.toContain('payload')
  })

  test.concurrent('tells the seconds of attention when the address changes and when the page goes', async () => {
    await using reader = await openReader(around)
    const page = await reader.visit.newPage()
    await page.clock.install()
    await reader.open('/sport', page)
    // A clock that stands still but for what this test says.
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.clock.runFor(42_300)
    await page.evaluate(() => history.pushState(null, '', '/sport/table'))
    await page.clock.runFor(7_900)
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await page.clock.runFor(60_000)
    await page.goto('about:blank')
    const beats = () => reader.delivered('heartbeats')
    const secondsAt = async (path: string) =>
      (await beats())
        .filter(({ page_path }) => page_path === path)
        .reduce((sum, { seconds }) => sum + Number(seconds), 0)
    await until('the last heartbeat', async () => (await secondsAt('/sport/table')) > 0)
    // Tenths of a second go over to the next; how far the clock came by itself before it stood is not known.
    expect(await secondsAt('/sport/table')).toBeOneOf([7, 8])
    expect(await secondsAt('/sport')).toBeGreaterThanOrEqual(42)
    const told = await beats()
    expect(told.map(({ event_sequence }) => event_sequence).sort()).toEqual(told.map((_, n) => n))
    expect(Math.max(...told.map(({ seconds }) => Number(seconds)))).toBe(30)
  })

  test.concurrent('tells the seconds of attention when the reader goes to another site', async () => {
    await using reader = await openReader(around)
    const page = await reader.open('/food')
    await page.waitForTimeout(2200)
    await page.goto('about:blank')
    const isTold = async () =>
      (await reader.delivered('heartbeats')).some(({ seconds }) => Number(seconds) >= 2)
    await until('its heartbeat', isTold)
  })

  test.concurrent('does nothing in a preview from a file, and says nothing about it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-preview-'))
    await using reader = await openReader(around)
    const errors: string[] = []
    try {
      await writeFile(
        join(folder, 'page.html'),
        `<!doctype html><title>Preview</title><script src="${around.scriptUrl}"></script>`,
      )
      const page = await reader.visit.newPage()
      page.on('console', message => void errors.push(message.text()))
      await page.goto(`file://${join(folder, 'page.html')}`)
      await page.evaluate(() => {
        window.usher?.track('clicked', { number: 1 })
        window.usher?.flush()
        window.usher?.consent(true)
        history.replaceState(null, '', '#here')
      })
      expect(await page.evaluate(() => Object.keys(window.usher ?? {}).sort())).toEqual([
        'consent',
        'flush',
        'track',
      ])
      await page.close()
      expect([errors, reader.pageErrors, reader.sent()]).toEqual([[], [], []])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test.concurrent('throws nothing into a page that breaks what it stands on, and leaves the page its own', async () => {
    await using reader = await openReader(around)
    const page = await reader.open(STORY)
    const seen = await page.evaluate(() => {
      const circle: Record<string, unknown> = {}
      circle.self = circle
      const calls: [string, unknown[]][] = [
        ['a circle', ['clicked', circle]],
        ['a bigint', ['clicked', { big: 10n }]],
        [
          'a getter',
          [
            'clicked',
            {
              get x() {
                throw new Error('mine')
              },
            },
          ],
        ],
        ['nothing', []],
        ['symbols', [Symbol('a'), Symbol('b')]],
      ]
      const track = window.usher?.track as (...given: unknown[]) => void
      for (const [, given] of calls) track(...given)
      JSON.stringify = () => {
        throw new Error('broken by the page')
      }
      track('clicked', {})
      history.pushState({ mine: 1 }, '', '/elsewhere')
      return { state: history.state, path: location.pathname, length: history.pushState.length }
    })
    expect(seen).toMatchObject({ state: { mine: 1 }, path: '/elsewhere' })
    expect(reader.pageErrors).toEqual([])
  })

  test.concurrent('starts beside an element of its name, and once where it stands twice', async () => {
    const script = `<script async src="${around.scriptUrl}"></script>`
    const news = await around.openSite(`${script}${script}<form id="usher"></form>`)
    await using reader = await openReader({ ...around, news })
    const page = await reader.visit.newPage()
    await page.goto(reader.site)
    reader.ledger.push('page_view /')
    await page.waitForFunction(() => typeof window.usher?.track === 'function')
    await reader.track(page, 2)
    await reader.expectEven()
  })

  test.concurrent('counts its first view before what the page does at once, with the address that was viewed', async () => {
    const doAtOnce = `usher.track('clicked', { number: 1 }); history.pushState(null, '', '/next'); usher.track('clicked', { number: 2 })`
    const news = await around.openSite(
      `<script src="${around.scriptUrl}"></script><script>${doAtOnce}</script>`,
    )
    await using reader = await openReader({ ...around, news })
    const page = await reader.visit.newPage()
    await page.goto(`${reader.site}/first`)
    await until('all events', async () => (await reader.delivered()).length === 4)
    const events = (await reader.delivered()).sort((a, b) => a.event_sequence - b.event_sequence)
    expect(events.map(({ type, page_path, event_sequence }) => [event_sequence, type, page_path])).toEqual([
      [0, 'page_view', '/first'],
      [1, 'clicked', '/first'],
      [2, 'page_view', '/next'],
      [3, 'clicked', '/next'],
    ])
    expect(reader.pageErrors).toEqual([])
  })

  test.concurrent('has counted its first view when the page goes at once', async () => {
    const goAtOnce = `dispatchEvent(new Event('pagehide')); document.title = Object.keys(localStorage).filter(key => key.startsWith('usher:events:')).length`
    const news = await around.openSite(
      `<script src="${around.scriptUrl}"></script><script>${goAtOnce}</script>`,
    )
    await using reader = await openReader({ ...around, news })
    const page = await reader.visit.newPage()
    await page.goto(reader.site)
    expect(await page.title()).toBe('1')
  })

  test.concurrent('sends to the place on the site’s own host that the page names', async () => {
    const news = await around.openSite(
      `<script async data-endpoint="/news/e" src="${around.scriptUrl}"></script>`,
    )
    await using reader = await openReader({ ...around, news })
    const page = await reader.visit.newPage()
    const sent = page.waitForRequest(request => request.method() === 'POST')
    await page.goto(reader.site)
    expect((await sent).url()).toBe(`${reader.site}/news/e`)
    expect(JSON.parse((await sent).postData() ?? '').events).toMatchObject([
      { type: 'page_view', url: `${reader.site}/` },
    ])
    expect(reader.sent()).toEqual([])
  })
})
