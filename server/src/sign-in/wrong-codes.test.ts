import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callback } from '../testing/oauth-platform.ts'
import {
  arrivedAt,
  createSignInPlatform,
  newAddress,
  type SignInPlatform,
} from '../testing/sign-in-platform.ts'
import { wordsOf } from '../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

const wrongOf = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('codes cannot be guessed (decisions, "Signing in")', () => {
  test('five wrong ones end the code of the mail, and the link goes on', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code, link } = await platform.askForMail(visitor, flow, newAddress())
    const answers = []
    for (let time = 0; time < 6; time++)
      answers.push(await visitor.post(`${flow}/code`, { code: wrongOf(code) }))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(422))
    expect(answers.map(({ body }) => /too often/.test(body))).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ])
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(422)
    expect(arrivedAt(await visitor.post(link))).toMatchObject({ to: callback })
  })

  test('also when they are typed at once', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    await Promise.all(Array.from({ length: 20 }, () => visitor.post(`${flow}/code`, { code: wrongOf(code) })))
    const { rows: counted } = await sql<{ wrong_codes: number }>`select wrong_codes from sign_in_mails
      where flow_id = ${flow.split('/')[2]}`.execute(platform.database.db)
    expect(counted).toEqual([{ wrong_codes: 5 }])
  })

  test('what is no code counts as none', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    for (const typed of [
      '',
      '12345',
      '1234567',
      'abcdef',
      '１２３４５６',
      `${code}0`,
      '12\x1c5',
      '-'.repeat(4_000),
    ])
      expect((await visitor.post(`${flow}/code`, { code: typed })).statusCode).toBe(422)
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(303)
  })

  test('25 wrong ones in an hour end the codes of an address, over many flows and networks, and not its links', async () => {
    const email = newAddress()
    for (let round = 0; round < 5; round++) {
      const attacker = platform.visit()
      const flow = await platform.begin(attacker)
      const { code } = await platform.askForMail(attacker, flow, email)
      for (let time = 0; time < 5; time++) await attacker.post(`${flow}/code`, { code: wrongOf(code) })
      // So that a mail can be asked for again.
      await platform.passTime(240)
    }
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code, link } = await platform.askForMail(visitor, flow, email)
    const refused = await visitor.post(`${flow}/code`, { code })
    expect([refused.statusCode, wordsOf(refused.body)]).toEqual([
      422,
      expect.stringContaining('only the link'),
    ])

    // Who opens the link elsewhere reads the mailbox: the code that is shown there works.
    const phone = platform.visit()
    expect(wordsOf((await phone.post(link)).body)).toContain(code)
    expect(arrivedAt(await visitor.post(`${flow}/code`, { code }))).toMatchObject({ to: callback })

    await platform.passTime(4_200)
    const later = platform.visit()
    const after = await platform.begin(later)
    const letter = await platform.askForMail(later, after, email)
    expect((await later.post(`${after}/code`, { code: letter.code })).statusCode).toBe(303)
  })

  test('a code that is shown elsewhere has five tries, no more', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code, link } = await platform.askForMail(visitor, flow, newAddress())
    const phone = platform.visit()
    for (let time = 0; time < 5; time++) {
      await phone.post(link)
      await visitor.post(`${flow}/code`, { code: wrongOf(code) })
    }
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(422)
  })

  test('a network that types many wrong ones, whatever the address, has to wait', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.99' }
    const flows = []
    // Forms are limited too, so they come from elsewhere.
    for (let round = 0; round < 20; round++) {
      const visitor = platform.visit()
      const flow = await platform.begin(visitor)
      await visitor.post(flow, { email: newAddress() })
      flows.push({ visitor, flow })
    }
    const statuses = []
    for (const { visitor, flow } of flows)
      for (let time = 0; time < 5; time++)
        statuses.push(
          (await visitor.post(`${flow}/code`, { code: String(100_000 + time) }, headers)).statusCode,
        )
    expect(statuses).toEqual(Array(100).fill(422))
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    const refused = await visitor.post(`${flow}/code`, { code }, headers)
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(303)
  })

  test('nor by sending forms without end', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.98' }
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const send = () => visitor.post(flow, { email: 'x' }, headers)
    const answers = await Promise.all(Array.from({ length: 121 }, send))
    const statuses = answers.map(({ statusCode }) => statusCode).toSorted()
    expect(statuses).toEqual([...Array(120).fill(422), 429])
    expect((await visitor.post(flow, { email: 'x' })).statusCode).toBe(422)
  })
})
