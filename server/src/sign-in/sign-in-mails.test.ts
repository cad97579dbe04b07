import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuerOf } from '../testing/oauth-platform.ts'
import {
  authorizePath,
  createSignInPlatform,
  newAddress,
  pageGuards,
  type SignInPlatform,
} from '../testing/sign-in-platform.ts'
import { hiddenOf, wordsOf } from '../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

describe('mails', () => {
  test('go to an address five times in 15 minutes, whoever asks', async () => {
    const email = newAddress()
    const answers = []
    for (let time = 0; time < 6; time++) {
      const visitor = platform.visit()
      const flow = await platform.begin(visitor)
      answers.push(await visitor.post(flow, { email }))
    }
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([303, 303, 303, 303, 303, 429])
    expect(answers[5]?.headers['retry-after']).toBe('900')
    await platform.passTime(900)
    const visitor = platform.visit()
    expect((await visitor.post(await platform.begin(visitor), { email })).statusCode).toBe(303)
  })

  test('also when they are asked for at once', async () => {
    const email = newAddress()
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const answers = await Promise.all(Array.from({ length: 12 }, () => visitor.post(flow, { email })))
    expect(answers.filter(({ statusCode }) => statusCode === 303)).toHaveLength(5)
  })

  test.for([
    '',
    'ana',
    'ana@',
    '@example.com',
    'ana@example',
    'ana@example.com,eve@example.com',
    'ana@example.com;eve@example.com',
    'ana@example.com eve@example.com',
    'Ana <ana@example.com>',
    '"ana@example.com" <eve@example.com>',
    '"a b"@example.com',
    'ana@example.com\r\nBcc: eve@example.com',
    'ana@example.com\0',
    'аna@example.com',
    '\u212a@example.com',
    'ana@[127.0.0.1]',
    'ana..b@example.com',
    '.ana@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(150)}com`,
  ])('do not go to %j', async email => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const before = await platform.rows('sign_in_mails')
    const answer = await visitor.post(flow, { email })
    expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
      422,
      expect.stringContaining('Please enter a mail address'),
    ])
    expect(answer.headers).toMatchObject(pageGuards)
    expect(await platform.rows('sign_in_mails')).toBe(before)
  })

  test('of another case or another spelling of the domain reach one member', async () => {
    const email = newAddress().replace('example.com', 'xn--mller-kva.example')
    const ids = []
    for (const typed of [email, email.toUpperCase(), email.replace('xn--mller-kva', 'müller')]) {
      const visitor = platform.visit()
      const flow = await platform.begin(visitor)
      const already = platform.mailServer.mails.filter(({ envelope }) => envelope.to.includes(email)).length
      await visitor.post(flow, { email: typed })
      const { code } = await platform.letterTo(email, already)
      await visitor.post(`${flow}/code`, { code })
      const page = await visitor.get(authorizePath())
      ids.push(hiddenOf(page.body, 'member'))
    }
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).not.toBe('')
  })

  test('of a tenant with closed sign-up go to members alone, with one answer for all', async () => {
    await sql`update tenants set sign_up = 'closed' where slug = 'acme'`.execute(platform.database.db)
    try {
      const known = newAddress()
      const stranger = newAddress()
      await sql`insert into members (tenant_id, id, email, name, created_at)
        select id, gen_random_uuid(), ${known}, null, now() from tenants where slug = 'acme'`.execute(
        platform.database.db,
      )
      // The change of the tenant has arrived when somebody is refused by it.
      const pages = []
      for (const email of [known, stranger]) {
        const visitor = platform.visit()
        const flow = await platform.begin(visitor)
        const answer = await visitor.post(flow, { email })
        const next = await visitor.get(String(answer.headers.location))
        const id = flow.split('/')[2] ?? ''
        const { date: _date, 'x-request-id': _id, ...headers } = answer.headers
        pages.push([
          answer.statusCode,
          JSON.stringify(headers).replaceAll(id, 'ID'),
          next.statusCode,
          next.body.replaceAll(email, 'ADDRESS').replaceAll(id, 'ID'),
        ])
      }
      expect(pages[0]).toEqual(pages[1])
      await platform.letterTo(known)
      await expect
        .poll(async () => {
          const { rows: open } = await sql`select 1 from pgboss.job where data->>'name' = 'send-sign-in-mail'
            and state in ('created', 'retry', 'active')`.execute(platform.database.db)
          return open.length
        })
        .toBe(0)
      expect(platform.mailServer.mails.filter(({ envelope }) => envelope.to.includes(stranger))).toEqual([])
    } finally {
      await sql`update tenants set sign_up = 'open' where slug = 'acme'`.execute(platform.database.db)
    }
  })

  test('are in the language that the browser asked for, with link and code on a line each', async () => {
    const visitor = platform.visit({ headers: { 'accept-language': 'de-AT, en;q=0.5' } })
    const flow = await platform.begin(visitor)
    const { mail, code, link } = await platform.askForMail(visitor, flow, newAddress())
    expect(mail.subject).toBe(`${code} ist Ihr Code für Acme Daily`)
    expect(mail.from).toMatchObject({ name: 'Usher', address: 'hello@usher.example' })
    expect(mail.text).toContain(`\n${issuerOf()}${link}\n`)
    expect(mail.text).toContain(`\n${code}\n`)
    expect(mail.html).toContain(`href="${issuerOf()}${link}"`)
    expect(mail.html).toContain(`>${code}<`)
  })
})
