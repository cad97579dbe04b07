import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callback, hostOf, issuerOf } from '../testing/oauth-platform.ts'
import {
  authorizePath,
  createSignInPlatform,
  newAddress,
  type SignInPlatform,
} from '../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf, type Visitor, wordsOf } from '../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

const SESSION = '_SERVICET Domain=acme.example'

const guards = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
}
const pageGuards = {
  ...guards,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; frame-ancestors 'self'$/,
  ),
}

/** The parameters that a browser brings to the client. */
function arrivedAt(answer: { statusCode: number; headers: Record<string, unknown> }) {
  expect(answer.statusCode).toBe(303)
  const { origin, pathname, searchParams } = new URL(String(answer.headers.location))
  return { to: origin + pathname, ...Object.fromEntries(searchParams) } as Record<string, string>
}

/** The signed-in member's address, as the member's API tells it. */
async function whoIs(visitor: Visitor): Promise<string | undefined> {
  const token = visitor.cookies.get(SESSION)?.split('=')[1]
  const answer = await platform.request(hostOf(), {
    url: '/api/sdk/member',
    headers: { authorization: `Bearer ${token}` },
  })
  return answer.statusCode === 200 ? answer.json().data.email : undefined
}

const rows = async (
  table: 'members' | 'sign_in_mails' | 'sign_in_flows' | 'member_sessions',
): Promise<string> =>
  JSON.stringify(
    (await sql`select * from ${sql.table(table)} order by tenant_id, id`.execute(platform.database.db)).rows,
  )

describe('a partner signs a member in (interface 4.6)', () => {
  test('by the link, in the browser that asked', async () => {
    const email = newAddress()
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link } = await platform.askForMail(visitor, flow, email)
    const page = await visitor.get(link)
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject(pageGuards)
    expect(wordsOf(page.body)).toContain(email)
    expect(await whoIs(visitor)).toBeUndefined()

    const answer = await visitor.post(actionsOf(page.body)[0] ?? '')
    const { to, code = '', ...rest } = arrivedAt(answer)
    expect({ to, ...rest }).toEqual({ to: callback, state: 'st&te=1', iss: issuerOf() })
    expect(answer.headers).toMatchObject(guards)
    expect(answer.body).toBe('')
    const exchanged = await platform.exchange(code)
    expect([exchanged.statusCode, Object.keys(exchanged.json()).toSorted()]).toEqual([
      200,
      ['access_token', 'expires_in', 'token_type'],
    ])
    expect(await whoIs(visitor)).toBe(email)
  })

  test('by the code, typed as people type', async () => {
    const email = newAddress()
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, email)
    const answer = await visitor.post(`${flow}/code`, { code: ` ${code.slice(0, 3)} ${code.slice(3)}` })
    expect(arrivedAt(answer)).toMatchObject({ to: callback, code: expect.stringMatching(/^[\w-]{64}$/) })
    expect(await whoIs(visitor)).toBe(email)
    expect([answer.headers['set-cookie']].flat()).toEqual([
      expect.stringMatching(/^_SERVICET=; Path=\/; .*Max-Age=0; SameSite=Lax$/),
      expect.stringMatching(
        /^_SERVICET=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Domain=acme.example; Max-Age=2592000; SameSite=Lax$/,
      ),
    ])
  })

  test('keeps what the client asked for unchanged on the way through the mail', async () => {
    const visitor = platform.visit()
    const verifier = 'v'.repeat(43)
    const { createHash } = await import('node:crypto')
    const flow = await platform.begin(visitor, {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: '"ü&=😀',
    })
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    const arrived = arrivedAt(await visitor.post(`${flow}/code`, { code }))
    expect(arrived.state).toBe('"ü&=😀')
    expect((await platform.exchange(arrived.code ?? '')).json()).toMatchObject({ error: 'invalid_grant' })
    expect((await platform.exchange(arrived.code ?? '', { code_verifier: verifier })).statusCode).toBe(200)
  })

  test('by continue-as, as the member who is signed in', async () => {
    const email = newAddress()
    const visitor = platform.visit()
    const first = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, first, email)
    await visitor.post(`${first}/code`, { code })
    const token = visitor.cookies.get(SESSION)

    const page = await visitor.get(authorizePath())
    expect(wordsOf(page.body)).toMatch(
      new RegExp(`to continue to partner of acme.*${email}.*Use another account`),
    )
    const [action = ''] = actionsOf(page.body)
    const member = hiddenOf(page.body, 'member')
    expect(arrivedAt(await visitor.post(action, { action: 'continue', member }))).toMatchObject({
      to: callback,
    })
    expect(visitor.cookies.get(SESSION)).toBe(token)
    // A flow is used once.
    expect((await visitor.post(action, { action: 'continue', member })).statusCode).toBe(410)
  })

  test('as another account, which signs the former out on this browser', async () => {
    const [one, other] = [newAddress(), newAddress()]
    const visitor = platform.visit()
    const first = await platform.begin(visitor)
    await visitor.post(`${first}/code`, { code: (await platform.askForMail(visitor, first, one)).code })
    const former = visitor.cookies.get(SESSION)?.split('=')[1]

    const page = await visitor.get(authorizePath())
    const answer = await visitor.post(actionsOf(page.body)[0] ?? '', { action: 'other' })
    const flow = String(answer.headers.location)
    expect([answer.statusCode, wordsOf((await visitor.get(flow)).body)]).toEqual([
      303,
      expect.stringContaining('Sign in to Acme Daily'),
    ])
    const { code } = await platform.askForMail(visitor, flow, other)
    expect(arrivedAt(await visitor.post(`${flow}/code`, { code }))).toMatchObject({ to: callback })
    expect(await whoIs(visitor)).toBe(other)
    const old = await platform.request(hostOf(), {
      url: '/api/sdk/member',
      headers: { authorization: `Bearer ${former}` },
    })
    expect(old.statusCode).toBe(401)
  })

  test.for(['login', 'select_account'])(
    'with prompt=%s asks again, and continuing is not enough',
    async prompt => {
      const visitor = platform.visit()
      const { cookie, memberId } = await platform.signIn('acme', newAddress())
      visitor.cookies.set(SESSION, cookie)
      const page = await visitor.get(authorizePath({ prompt, login_hint: 'hint@example.com' }))
      expect(page.body).toContain('value="hint@example.com"')
      const [flow = ''] = actionsOf(page.body)
      const answer = await visitor.post(`${flow}/continue`, { action: 'continue', member: memberId })
      expect([answer.statusCode, answer.headers.location]).toEqual([303, flow])
    },
  )

  test('shows continue-as again when somebody else is signed in by now', async () => {
    const visitor = platform.visit()
    const [one, other] = [
      await platform.signIn('acme', newAddress()),
      await platform.signIn('acme', newAddress()),
    ]
    visitor.cookies.set(SESSION, one.cookie)
    const page = await visitor.get(authorizePath())
    visitor.cookies.set(SESSION, other.cookie)
    const answer = await visitor.post(actionsOf(page.body)[0] ?? '', {
      action: 'continue',
      member: one.memberId,
    })
    expect([answer.statusCode, hiddenOf(answer.body, 'member')]).toEqual([200, other.memberId])
  })

  test('always as a new session, whatever session the browser brought', async () => {
    const email = newAddress()
    const planted = await platform.signIn('acme', email)
    const visitor = platform.visit()
    visitor.cookies.set(SESSION, planted.cookie)
    const flow = await platform.begin(visitor, { prompt: 'login' })
    await visitor.post(`${flow}/code`, { code: (await platform.askForMail(visitor, flow, email)).code })
    const sid = (cookie: string | undefined) =>
      JSON.parse(Buffer.from(cookie?.split('.')[1] ?? '', 'base64url').toString()).sid
    expect(sid(visitor.cookies.get(SESSION))).not.toBe(planted.sessionId)
  })

  test('tells the client nothing when it was disabled meanwhile, and leaves no session behind', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor, {
      client_id: 'strict',
      redirect_uri: 'https://strict.example/callback',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    })
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    const enable = (enabled: boolean) =>
      sql`update oauth_clients set enabled = ${enabled} where client_id = 'strict'`.execute(
        platform.database.db,
      )
    await enable(false)
    const before = await rows('member_sessions')
    const answer = await visitor.post(`${flow}/code`, { code })
    await enable(true)
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined])
    expect(answer.body).toContain('The client was disabled')
    expect(await rows('member_sessions')).toBe(before)
    // The code is as good as it was.
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(303)
  })
})

describe('a magic link (threats, "Mail and codes")', () => {
  test('is not used up by a scanner that GETs and HEADs it, with or without the cookie', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link } = await platform.askForMail(visitor, flow, newAddress())
    const before = [await rows('sign_in_mails'), await rows('sign_in_flows'), await rows('members')]
    for (const scanner of [platform.visit(), visitor])
      for (let time = 0; time < 3; time++) {
        expect((await scanner.get(link)).statusCode).toBe(200)
        const head = await platform.request(hostOf(), { method: 'HEAD', url: link })
        expect(head.statusCode).toBe(404)
      }
    expect([await rows('sign_in_mails'), await rows('sign_in_flows'), await rows('members')]).toEqual(before)
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
    expect(await rows('members')).not.toContain(email)
    // Into the first window.
    expect(arrivedAt(await visitor.post(`${flow}/code`, { code }))).toMatchObject({ to: callback })
    expect(await whoIs(visitor)).toBe(email)
    expect((await thief.post(link)).statusCode).toBe(410)
  })

  test('that was foisted on somebody does not sign them in as another', async () => {
    const attacker = platform.visit()
    const victim = platform.visit()
    const own = await platform.begin(victim)
    const flow = await platform.begin(attacker)
    const { link, code } = await platform.askForMail(attacker, flow, newAddress())
    await victim.post(link)
    expect(victim.cookies.has(SESSION)).toBe(false)
    // Nor does the attacker's code in the victim's own flow, or the victim in the attacker's flow.
    expect((await victim.post(`${own}/code`, { code })).statusCode).toBe(303)
    expect(victim.cookies.has(SESSION)).toBe(false)
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
    [
      'with another mark',
      link => link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A').replace(/./, mark => mark),
    ],
    ['without its mark', link => link.replace(/\..*/, '')],
    ['that is none', () => '/sign-in/link/x'],
  ])('%s is dead', async ([, change]) => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { link } = await platform.askForMail(visitor, flow, newAddress())
    const changed = change(link.replace(/.$/, mark => (mark === 'A' ? 'E' : mark)))
    for (const answer of [await visitor.get(changed), await visitor.post(changed)])
      expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
        410,
        expect.stringContaining('no longer good'),
      ])
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
    const before = await rows('sign_in_mails')
    const answer = await visitor.post(flow, { email })
    expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
      422,
      expect.stringContaining('Please enter a mail address'),
    ])
    expect(answer.headers).toMatchObject(pageGuards)
    expect(await rows('sign_in_mails')).toBe(before)
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

describe('forms (threats, "OAuth": login CSRF)', () => {
  test.for<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling host', { 'sec-fetch-site': 'same-site' }],
    ['another site, by its Origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['a sibling host, by its Origin', { 'sec-fetch-site': '', origin: 'http://evil.acme.example' }],
    ['another scheme, by its Origin', { 'sec-fetch-site': '', origin: 'https://members.acme.example' }],
  ])('of %s are refused', async ([, headers]) => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code, link } = await platform.askForMail(visitor, flow, newAddress())
    const before = [await rows('sign_in_mails'), await rows('sign_in_flows')]
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
    const plain = { 'content-type': 'application/x-www-form-urlencoded', host: hostOf(), ...sent }
    const cookie = [...visitor.cookies.values()].join('; ')
    for (const [url, payload] of [
      [flow, 'email=a%40example.com'],
      [`${flow}/code`, `code=${code}`],
      [`${flow}/continue`, 'action=continue'],
      [link, ''],
      ['/account/sign-out', ''],
      ['/account/sessions/end', ''],
    ] as const) {
      const answer = await platform.app.inject({
        method: 'POST',
        url,
        payload,
        headers: { ...plain, cookie },
      })
      expect([url, answer.statusCode, answer.headers['set-cookie']]).toEqual([url, 403, undefined])
    }
    expect([await rows('sign_in_mails'), await rows('sign_in_flows')]).toEqual(before)
  })

  test('of our own pages pass in browsers that say their Origin alone', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    const answer = await platform.app.inject({
      method: 'POST',
      url: `${flow}/code`,
      payload: `code=${code}`,
      headers: {
        host: hostOf(),
        'content-type': 'application/x-www-form-urlencoded',
        origin: issuerOf(),
        cookie: [...visitor.cookies.values()].join('; '),
      },
    })
    expect(answer.statusCode).toBe(303)
  })

  test('without the cookie of the browser that began the flow are of no flow', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, flow, newAddress())
    visitor.cookies.clear()
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(404)
    visitor.cookies.set('x', `usher-browser=${'A'.repeat(43)}`)
    expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(404)
  })

  test('of JSON, of nothing and of too much change nothing', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const cookie = [...visitor.cookies.values()].join('; ')
    for (const [payload, type, status] of [
      ['{"email":"a@example.com"}', 'application/json', 422],
      ['', 'application/x-www-form-urlencoded', 422],
      [`email=${'a'.repeat(10_000)}`, 'application/x-www-form-urlencoded', 413],
    ] as const) {
      const answer = await platform.app.inject({
        method: 'POST',
        url: flow,
        payload,
        headers: { host: hostOf(), 'content-type': type, 'sec-fetch-site': 'same-origin', cookie },
      })
      expect(answer.statusCode).toBe(status)
    }
  })
})

describe('a flow', () => {
  test('that is over can be begun anew with all that was asked for', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor, { scope: 'a b', nonce: 'n"1' })
    await platform.passTime(3_600)
    const answer = await visitor.get(flow)
    expect(answer.statusCode).toBe(410)
    const href = /class="button" href="([^"]+)"/
      .exec(answer.body)?.[1]
      ?.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    expect(href).toBe(
      `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: 'partner', redirect_uri: callback, state: 'st&te=1', scope: 'a b', nonce: 'n"1' })}`,
    )
    expect((await visitor.get(href ?? '')).statusCode).toBe(200)
  })

  test('is side by side with others in the windows of one browser', async () => {
    const visitor = platform.visit()
    const flows = [await platform.begin(visitor), await platform.begin(visitor, { state: 'second' })]
    const codes = []
    for (const flow of flows) codes.push((await platform.askForMail(visitor, flow, newAddress())).code)
    const second = await visitor.post(`${flows[1]}/code`, { code: codes[1] ?? '' })
    expect(arrivedAt(second).state).toBe('second')
    expect(arrivedAt(await visitor.post(`${flows[0]}/code`, { code: codes[0] ?? '' })).state).toBe('st&te=1')
  })

  test.for(['x', '00000000-0000-0000-0000-000000000000', "'", '%00', '..%2F', 'ü'])(
    'that there is not, %s, is a page',
    async id => {
      for (const path of [`/sign-in/${id}`, `/sign-in/${id}/mail`]) {
        const answer = await platform.visit().get(path)
        expect([path, answer.statusCode, answer.headers['content-type']]).toEqual([
          path,
          404,
          'text/html; charset=utf-8',
        ])
      }
    },
  )
})

describe('the cookie of a browser', () => {
  test('is out of the reach of scripts and of sibling hosts', async () => {
    const secure = await createSignInPlatform({ USHER_PUBLIC_URL: 'https://platform.localhost' })
    try {
      const answer = await secure.visit().get(authorizePath())
      expect(answer.headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-usher-browser=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
        ),
      ])
    } finally {
      await secure.close()
    }
  })
})
