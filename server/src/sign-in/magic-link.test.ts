import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callback, hostOf } from '../testing/oauth-platform.ts'
import {
  arrivedAt,
  createSignInPlatform,
  newAddress,
  type SignInPlatform,
  sessionCookie,
} from '../testing/sign-in-platform.ts'
import { wordsOf } from '../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

describe('a magic link (threats, "Mail and codes")', () => {
  test('is not used up by a scanner that GETs and HEADs it, with or without the cookie', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link } = await platform.askForMail(visitor, flow, newAddress())
    const before = [
      await platform.rows('sign_in_mails'),
      await platform.rows('sign_in_flows'),
      await platform.rows('members'),
    ]
    for (const scanner of [platform.visit(), visitor])
      for (let time = 0; time < 3; time++) {
        expect((await scanner.get(link)).statusCode).toBe(200)
        const head = await platform.request(hostOf(), { method: 'HEAD', url: link })
        expect(head.statusCode).toBe(404)
      }
    expect([
      await platform.rows('sign_in_mails'),
      await platform.rows('sign_in_flows'),
      await platform.rows('members'),
    ]).toEqual(before)
    const page = await visitor.get(link)
    // No script of ours could press the button either.
    expect(page.body).not.toMatch(/<script|http-equiv|onload/i)
    expect(arrivedAt(await visitor.post(link))).toMatchObject({ to: callback })
  })

  test('shows the code in another browser, and signs in nobody there', async () => {
    const email = newAddress()
    const visitor = platform.visit()
    const thief = platform.visit()
    const flow = await platform.begin(visitor)
    const { link, code } = await platform.askForMail(visitor, flow, email)
    const elsewhere = await thief.get(link)
    expect(wordsOf(elsewhere.body)).toContain('You opened the link in another browser')
    expect(elsewhere.body).not.toContain(code)
    expect(elsewhere.body).not.toContain(email)
    const shown = await thief.post(link)
    expect([shown.statusCode, wordsOf(shown.body)]).toEqual([200, expect.stringContaining(code)])
    expect(shown.headers['set-cookie']).toBeUndefined()
    expect(thief.cookies.size).toBe(0)
    expect(await platform.rows('members')).not.toContain(email)
    // Into the first window.
    expect(arrivedAt(await visitor.post(`${flow}/code`, { code }))).toMatchObject({ to: callback })
    expect(await platform.whoIs(visitor)).toBe(email)
    expect((await thief.post(link)).statusCode).toBe(410)
  })

  test('that was foisted on somebody does not sign them in as another', async () => {
    const attacker = platform.visit()
    const victim = platform.visit()
    const own = await platform.begin(victim)
    const flow = await platform.begin(attacker)
    const { link, code } = await platform.askForMail(attacker, flow, newAddress())
    await victim.post(link)
    expect(victim.cookies.has(sessionCookie)).toBe(false)
    // Nor does the attacker's code in the victim's own flow, or the victim in the attacker's flow.
    expect((await victim.post(`${own}/code`, { code })).statusCode).toBe(303)
    expect(victim.cookies.has(sessionCookie)).toBe(false)
    for (const path of [`${flow}/code`, `${flow}/continue`, flow])
      expect((await victim.post(path, { code, email: 'a@example.com', action: 'continue' })).statusCode).toBe(
        404,
      )
    expect((await victim.get(flow)).statusCode).toBe(404)
  })

  test('works once', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link, code } = await platform.askForMail(visitor, flow, newAddress())
    const answers = await Promise.all(Array.from({ length: 8 }, () => visitor.post(link)))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([303, ...Array(7).fill(410)])
    expect((await visitor.get(link)).statusCode).toBe(410)
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(410)
  })

  test('is dead after ten minutes, and so is its code', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link, code } = await platform.askForMail(visitor, flow, newAddress())
    await platform.passTime(600)
    expect((await visitor.get(link)).statusCode).toBe(410)
    expect((await visitor.post(link)).statusCode).toBe(410)
    const typed = await visitor.post(`${flow}/code`, { code })
    expect([typed.statusCode, wordsOf(typed.body)]).toEqual([422, expect.stringContaining('no longer good')])
  })

  test.for<[string, (link: string) => string]>([
    ['with another id', link => link.replace(/[0-9a-f]{12}\./, '000000000000.')],
    // Its first character: of the last one only four bits count.
    ['with another mark', link => link.replace(/\.(.)/, (_, first) => (first === 'A' ? '.B' : '.A'))],
    ['without its mark', link => link.replace(/\..*/, '')],
    ['that is none', () => '/sign-in/link/x'],
  ])('%s is dead', async ([, change]) => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link } = await platform.askForMail(visitor, flow, newAddress())
    const changed = change(link)
    for (const answer of [await visitor.get(changed), await visitor.post(changed)]) {
      expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
        410,
        expect.stringContaining('no longer good'),
      ])
      expect(answer.body).toContain('<a class="button" href="/account">Your account</a>')
    }
  })

  test("of one tenant is dead at another's domain", async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link } = await platform.askForMail(visitor, flow, newAddress())
    const other = platform.visit({ slug: 'globe' })
    expect([(await other.get(link)).statusCode, (await other.post(link)).statusCode]).toEqual([410, 410])
    expect((await other.get(flow)).statusCode).toBe(404)
  })
})
