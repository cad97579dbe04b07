import { describe, expect, test } from 'vitest'
import { event, useTestCollect } from '../testing/use-test-collect.ts'

const collect = useTestCollect()
const { send, read } = collect

describe('POST /api/sdk/events (decisions, "Events")', () => {
  test('makes an id where none is sent, and drops unknown fields with a warning', async () => {
    const { id: _, ...sent } = event({ colour: 'red' })
    expect((await send({ events: [sent] })).json()).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [],
      warnings: [{ index: 0, message: 'dropped, as page_view events have no such field: colour' }],
    })
    const [record] = await read()
    expect(record?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(record).not.toHaveProperty('colour')
  })

  test("serves the browser's time, corrected by its clock, when it differs by more than 5 seconds", async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    // A browser whose clock is an hour fast sends one event at once and one that waited for 10 minutes.
    const hour = 3_600_000
    await send({
      sent_at: at(hour),
      events: [event({ occurred_at: at(hour) }), event({ occurred_at: at(hour - 600_000) })],
    })
    const [now, late] = await read()
    expect(now).not.toHaveProperty('occurred_at')
    expect(late?.occurred_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
    expect(Math.abs(Date.parse(String(late?.occurred_at)) - (Date.now() - 600_000))).toBeLessThan(3_000)
  })

  test('cuts credentials out of the URL', async () => {
    await send({
      events: [
        event({ url: 'https://ann:pw@news.acme.example/cb?code=c&state=s&access_token=t#id_token=u' }),
      ],
    })
    expect((await read())[0]).toMatchObject({ url: 'https://news.acme.example/cb?state=s', page_path: '/cb' })
  })

  test('takes the address from X-Forwarded-For only through trusted proxies, the rightmost that is none', async () => {
    await send({ events: [event()] }, { 'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.1.2.3' })
    await send({ events: [event()] }, { 'x-forwarded-for': 'evil", "x, 10.1.2.3' })
    await send({ events: [event()] }, { 'x-forwarded-for': '::ffff:203.0.113.10' })
    expect((await read()).map(record => record.ip_address)).toEqual([
      '203.0.113.9',
      '10.1.2.3',
      '203.0.113.10',
    ])
  })

  test('stores a missing user agent as "" and cuts a long one at 1 KiB', async () => {
    await send({ events: [event()] }, { 'user-agent': '' })
    await send({ events: [event()] }, { 'user-agent': `Mozilla/5.0 ${'x'.repeat(2_000)}` })
    expect((await read()).map(record => String(record.user_agent).length)).toEqual([0, 1024])
  })

  test('marks bots', async () => {
    await send(
      { events: [event()] },
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    )
    expect((await read())[0]).toMatchObject({ bot: true })
  })

  test('heartbeats have a queue of their own', async () => {
    const beat = event({ type: 'heartbeat', seconds: 30 })
    const plain = event({ type: 'heartbeat' })
    expect((await send({ events: [event(), beat, plain] })).json()).toEqual({
      accepted: 3,
      duplicates: 0,
      rejected: [],
    })
    expect(await read()).toHaveLength(1)
    expect((await read('heartbeats')).map(({ id, type, seconds }) => [id, type, seconds])).toEqual([
      [beat.id, 'heartbeat', 30],
      [plain.id, 'heartbeat', undefined],
    ])
  })

  test('treats events as the tenant chooses: bots dropped, addresses shortened, hosts listed, parameters cut', async () => {
    await collect.platform.apply(`
tenants:
  - slug: strict
    name: Strict
    domain: members.strict.example
    flags: [UseQueueEvents]
    staff: [{ email: a@strict.example, role: administrator }]
    keys: [{ name: c, token: strict-key-of-at-least-thirty-two-characters }]
    events: { shorten_addresses: true, bots: drop, site_hosts: [strict.example], secret_parameters: [invite] }`)
    const to = 'members.strict.example'
    const url = 'https://strict.example/?invite=x&y=1'
    expect(
      (await send({ events: [event({ url })] }, { 'x-forwarded-for': '203.0.113.77' }, to)).json(),
    ).toMatchObject({ accepted: 1 })
    expect(
      (await send({ events: [event({ url })] }, { 'x-forwarded-for': '2001:db8:1:2::3' }, to)).json(),
    ).toMatchObject({ accepted: 1 })
    expect((await send({ events: [event()] }, {}, to)).json()).toMatchObject({
      rejected: [
        {
          index: 0,
          message: 'news.acme.example is not among the site hosts that this tenant accepts events from',
        },
      ],
    })
    const bot = await send({ events: [event({ url })] }, { 'user-agent': 'Googlebot/2.1' }, to)
    expect([bot.statusCode, bot.json()]).toEqual([
      202,
      {
        accepted: 0,
        duplicates: 0,
        rejected: [],
        warnings: [
          { index: 0, message: 'not stored: this tenant records no bots, and the user agent is a known one' },
        ],
      },
    ])
    const answer = await collect.platform.request(to, {
      url: '/api/platform/events',
      key: 'strict-key-of-at-least-thirty-two-characters',
    })
    const records: Record<string, unknown>[] = answer.json().data.events
    expect(records.map(({ ip_address, url: stored }) => [ip_address, stored])).toEqual([
      ['203.0.113.0', 'https://strict.example/?y=1'],
      ['2001:db8:1::', 'https://strict.example/?y=1'],
    ])
  })
})
