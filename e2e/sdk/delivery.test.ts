import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { getEmbeddedDatabase } from '../faults/embedded-database.ts'
import { queryOnce } from '../faults/query-once.ts'
import { openReader } from './open-reader.ts'
import type { Fault } from './start-road.ts'
import { type StartedSurroundings, startSurroundings } from './surroundings.ts'
import { until } from './until.ts'

const STORY = '/city/the-last-ferry-home'
const anyPage = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After' }

describe.skipIf(needsProgram('chromium'))(
  'nothing is lost, and nothing comes twice',
  { timeout: 120_000 },
  () => {
    let around: StartedSurroundings
    beforeAll(async () => {
      around = await startSurroundings(findProgram('chromium') ?? '')
    })
    afterAll(() => around?.[Symbol.asyncDispose]())

    test.concurrent.for<[string, Fault]>([
      ['500', { status: 500, headers: anyPage, body: '{"message":"?"}' }],
      ['503', { status: 503, headers: { ...anyPage, 'retry-after': '1' } }],
      ['429', { status: 429, headers: { ...anyPage, 'retry-after': '2' } }],
      [
        "502 of something between, which does not speak to other origins' pages",
        { status: 502, body: '<h1>502' },
      ],
      ['garbage', 'garbage'],
      ['a page of a Wi-Fi', { status: 200, headers: anyPage, body: '<html>Welcome' }],
      ['a redirect', { status: 302, headers: { ...anyPage, location: '/login' } }],
      ['a cut before the events arrive', 'cut before'],
      ['a cut after they were stored', 'cut after'],
    ])('when the answer is %s', async ([, fault]) => {
      await using reader = await openReader(around)
      const page = await reader.open()
      await until('a first request', () => reader.sent().length > 0)
      reader.befall(fault)
      await reader.track(page, 3)
      const { length } = reader.sent()
      await until('a second attempt', () => reader.sent().length >= length + 2)
      await reader.track(page, 3)
      reader.befall()
      await reader.expectEven()
    })

    test.concurrent('when there is no answer at all: after 30 seconds the events are sent again', async () => {
      await using reader = await openReader(around)
      const page = await reader.visit.newPage()
      await page.clock.install()
      await reader.open('/', page)
      await page.clock.runFor(2000)
      reader.befall('silence')
      await reader.track(page, 3)
      await page.clock.runFor(2000)
      await until('the attempt', () => reader.sent().length === 2)
      await page.clock.runFor(27_000)
      expect(reader.sent()).toHaveLength(2)
      reader.befall()
      await page.clock.runFor(5000)
      await reader.expectEven()
    })

    test.concurrent.for<[string, Fault | undefined]>([
      ['all is well', undefined],
      ['the way is long', { delayMs: 600 }],
      ['the last request is cut', 'cut before'],
      ['the last answer is cut', 'cut after'],
    ])('when the tab is closed at once after a click, and %s', async ([, fault]) => {
      await using reader = await openReader(around)
      const page = await reader.open(STORY)
      await until('a first request', () => reader.sent().length > 0)
      reader.befall(fault)
      reader.ledger.push('article_saved undefined')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.close()
      await until('a second request', () => reader.sent().length > 1)
      reader.befall()
      // What the closed tab cannot know to have arrived, the next page sends.
      await reader.open('/sport')
      await reader.expectEven()
    })

    test.concurrent('when 50 events are tracked offline, and the reader comes back: each is sent once', async () => {
      await using reader = await openReader(around)
      const page = await reader.open()
      await reader.expectEven()
      await reader.visit.setOffline(true)
      for (let n = 0; n < 10; n++) await reader.track(page, 5)
      await reader.visit.setOffline(false)
      await reader.expectEven()
      const ids = reader.sent().flatMap(sent => sent.ids)
      expect(new Set(ids).size).toBe(ids.length)
    })

    test.concurrent('when 50 events are tracked offline, the tab is closed, and another page comes', async () => {
      await using reader = await openReader(around)
      const page = await reader.open()
      await reader.expectEven()
      await reader.visit.setOffline(true)
      await reader.track(page, 50)
      await page.close()
      await reader.visit.setOffline(false)
      await reader.open('/culture')
      await reader.expectEven()
    })

    test.concurrent('when two tabs track, offline and on a way that is cut, and one of them is closed', async () => {
      await using reader = await openReader(around)
      const one = await reader.open()
      const other = await reader.open(STORY)
      for (let n = 0; n < 4; n++) await Promise.all([reader.track(one, 3), reader.track(other, 3)])
      await reader.expectEven()
      // Without a fault each was sent once.
      const ids = reader.sent().flatMap(sent => sent.ids)
      expect(new Set(ids).size).toBe(ids.length)

      reader.befall('cut after')
      await Promise.all([reader.track(one, 10), reader.track(other, 10)])
      await reader.visit.setOffline(true)
      await Promise.all([reader.track(one, 10), reader.track(other, 10)])
      await one.close()
      await reader.track(other, 10)
      reader.befall()
      await reader.visit.setOffline(false)
      await reader.expectEven()
    })

    test.concurrent('when storage is full', async () => {
      await using reader = await openReader(around)
      await reader.visit.addInitScript(() => {
        // To the last character.
        for (let size = 2 ** 22; size >= 1; size /= 2) {
          try {
            for (;;) localStorage.setItem(`filling ${size} ${Math.random()}`, 'x'.repeat(size))
          } catch {
            // A smaller piece may have room.
          }
        }
      })
      reader.befall({ status: 503, headers: anyPage })
      const page = await reader.open()
      await reader.track(page, 60)
      await until('a second request', () => reader.sent().length > 1)
      expect(
        await page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('usher'))),
      ).toEqual([])
      reader.befall()
      await reader.expectEven()
    })

    test.concurrent('when storage is forbidden', async () => {
      await using reader = await openReader(around)
      await reader.visit.addInitScript(() => {
        for (const name of ['localStorage', 'sessionStorage'])
          Object.defineProperty(window, name, {
            configurable: true,
            get: () => {
              throw new DOMException('Access is denied for this document.', 'SecurityError')
            },
          })
      })
      reader.befall({ status: 503, headers: anyPage })
      const page = await reader.open('/sport')
      await reader.track(page, 60)
      await until('a second request', () => reader.sent().length > 1)
      reader.befall()
      await reader.expectEven()
    })

    test.concurrent('when a page stays open over midnight, and what was stored before it is sent again after', async () => {
      await using reader = await openReader(around)
      const page = await reader.visit.newPage()
      await page.clock.install({ time: new Date(new Date().setHours(23, 59, 50, 0)) })
      await reader.open(STORY, page)
      await page.clock.runFor(2000)
      reader.befall('cut after')
      await reader.track(page, 5)
      await page.clock.runFor(3000)
      await until('a second request', () => reader.sent().length > 1)
      // The log's days are those of the tail: for the server, too, it is tomorrow now.
      const { url } = await getEmbeddedDatabase(around.platform.dataDir)
      const days = await queryOnce(
        url,
        "update queue_tails set day = (now() at time zone 'UTC')::date + 1 returning day",
      )
      expect(days.length).toBeGreaterThan(0)
      await page.clock.runFor(10_000)
      await reader.track(page, 5)
      reader.befall()
      await page.clock.runFor(60_000)
      await reader.track(page, 1)
      await page.clock.runFor(5000)
      await reader.expectEven()
      const events = await reader.delivered()
      expect(new Set(events.map(event => event.session_id)).size).toBe(1)
      expect(events.map(event => event.event_sequence).sort((a, b) => a - b)).toEqual(events.map((_, n) => n))
    })

    test.concurrent('when a thousand events are tracked within a second', async () => {
      await using reader = await openReader(around)
      const page = await reader.open()
      const numbers = Array.from({ length: 1000 }, (_, n) => n)
      for (const number of numbers) reader.ledger.push(`clicked ${number}`)
      await page.evaluate(async all => {
        while (all.length > 0) {
          for (const number of all.splice(0, 20)) window.usher?.track('clicked', { number })
          await new Promise(resolve => setTimeout(resolve))
        }
      }, numbers)
      await reader.expectEven()
      expect(Math.max(...reader.sent().map(sent => sent.ids.length))).toBe(100)
    })

    test.concurrent('when a thousand events are tracked and the tab is closed at once', async () => {
      await using reader = await openReader(around)
      const page = await reader.open()
      await reader.track(page, 1000)
      await page.close()
      await reader.open('/food')
      await reader.expectEven()
    })
  },
)
