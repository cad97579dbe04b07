import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  arrivedAt,
  authorizePath,
  createSignInPlatform,
  newAddress,
  pageGuards,
  type SignInPlatform,
} from '../testing/sign-in-platform.ts'
import { actionsOf, hiddenOf } from '../testing/visitor.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

describe('a flow', () => {
  test('that is over can be begun anew with all that was asked for', async () => {
    const visitor = platform.visit()
    const flow = await platform.begin(visitor, { scope: 'a b', nonce: 'n"1', state: '' })
    await platform.passTime(3_600)
    const answer = await visitor.get(flow)
    expect(answer.statusCode).toBe(410)
    expect(answer.body).toContain(`class="button" href="${flow}/again"`)
    const page = await visitor.get(`${flow}/again`)
    expect([page.statusCode, page.headers]).toEqual([200, expect.objectContaining(pageGuards)])
    const { rows } = await platform.database.pool.query(
      `select client_id, redirect_uri, state, scope, nonce, code_challenge, prompt from sign_in_flows
       where id = any($1)`,
      [[flow, ...actionsOf(page.body)].map(path => path.split('/')[2])],
    )
    expect(rows).toHaveLength(2)
    expect(rows[1]).toEqual(rows[0])
    expect(rows[0]).toMatchObject({ scope: 'a b', nonce: 'n"1', state: '' })
  })

  test('of the own pages that is over leads to them', async () => {
    const visitor = platform.visit()
    const [flow = ''] = actionsOf((await visitor.get('/account')).body)
    const answer = await visitor.get(`${flow}/again`)
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/account'])
  })

  test('sends one on of several who act in it at the same moment, and gives one code', async () => {
    const visitor = platform.visit()
    const first = await platform.begin(visitor)
    const { code } = await platform.askForMail(visitor, first, newAddress())
    await visitor.post(`${first}/code`, { code })
    const page = (await visitor.get(authorizePath())).body
    const [action = ''] = actionsOf(page)
    const form = { action: 'continue', member: hiddenOf(page, 'member') }
    const { pool } = platform.database
    const before = (await pool.query('select from authorization_codes')).rowCount ?? 0
    // Until it is let go, all of them find the flow unfinished.
    const holder = await pool.connect()
    try {
      await holder.query('begin')
      await holder.query('select from sign_in_flows where id = $1 for update', [action.split('/')[2]])
      const acting = Promise.all([1, 2, 3].map(() => visitor.post(action, form)))
      const waiting = async () =>
        (
          await pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount
      await expect.poll(waiting).toBe(3)
      await holder.query('commit')
      expect((await acting).map(({ statusCode }) => statusCode).toSorted()).toEqual([303, 410, 410])
    } finally {
      holder.release()
    }
    expect((await pool.query('select from authorization_codes')).rowCount).toBe(before + 1)
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

  test('that begins with many others at once is its own browser’s, with what its own client asked for', async () => {
    const visitors = Array.from({ length: 20 }, (_, at) =>
      platform.visit({ slug: at % 2 ? 'globe' : 'acme' }),
    )
    const flows = await Promise.all(
      visitors.map((visitor, at) => platform.begin(visitor, { state: at === 3 ? 'NULL' : `"{s,${at}}` })),
    )
    for (const [at, flow] of flows.entries()) {
      const [own, stranger] = [visitors[at], visitors[(at + 2) % 20]]
      expect((await own?.get(flow))?.statusCode).toBe(200)
      expect((await stranger?.get(flow))?.statusCode).toBe(404)
    }
    const { rows } = await platform.database.pool.query(
      'select f.state, t.slug from sign_in_flows f join tenants t on t.id = f.tenant_id where f.id = any($1)',
      [flows.map(flow => flow.split('/').at(-1))],
    )
    const expected = flows.map((_, at) => ({
      state: at === 3 ? 'NULL' : `"{s,${at}}`,
      slug: at % 2 ? 'globe' : 'acme',
    }))
    expect(rows).toHaveLength(20)
    expect(rows).toEqual(expect.arrayContaining(expected))
  })

  test.for(['x', '00000000-0000-0000-0000-000000000000', "'", '%00', '..%2F', 'ü'])(
    'that there is not, %s, is a page',
    async id => {
      for (const path of [`/sign-in/${id}`, `/sign-in/${id}/mail`, `/sign-in/${id}/again`]) {
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
          /^__Host-usher-browser=[\w-]{43}; Path=\/; Max-Age=90000; HttpOnly; SameSite=Lax; Secure$/,
        ),
      ])
    } finally {
      await secure.close()
    }
  })
})
