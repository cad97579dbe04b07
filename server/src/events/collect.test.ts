import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createWholePlatform, platformHost, tokens, type WholePlatform } from '../testing/whole-platform.ts'

const host = 'members.acme.example'
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
let platform: WholePlatform
beforeAll(async () => {
  platform = await createWholePlatform({ USHER_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' })
})
afterAll(() => platform.close())
beforeEach(async () => {
  const waiting = await read()
  if (waiting.length > 0)
    await platform.request(host, {
      method: 'DELETE',
      url: `/api/platform/events?count=${waiting.length}`,
      key: tokens.acme,
    })
})

const event = (given: object = {}) => ({
  id: uuidv7(),
  type: 'page_view',
  session_id: 'session-1',
  url: 'https://news.acme.example/articles/one?x=1',
  event_sequence: 3,
  ...given,
})

function send(body: unknown, headers: Record<string, string> = {}, to = host) {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return platform.request(to, {
    method: 'POST',
    url: '/api/sdk/events',
    headers: { 'content-type': 'text/plain;charset=UTF-8', 'user-agent': userAgent, ...headers },
    payload,
  })
}

async function read(queue = 'events'): Promise<Record<string, unknown>[]> {
  const answer = await platform.request(host, { url: `/api/platform/${queue}`, key: tokens.acme })
  return answer.json().data.events
}

const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
}

describe('POST /api/sdk/events (decisions, "Events")', () => {
  test('answers 202 after the commit, and the record has every field of interface 2.4', async () => {
    const sent = event()
    const answer = await send({ events: [sent] })
    expect(answer.statusCode).toBe(202)
    const { date: _, connection: __, 'x-request-id': requestId, ...headers } = answer.headers
    expect(requestId).toMatch(/^[\w-]{8,}$/)
    expect(headers).toEqual({ 'content-type': 'application/json', 'content-length': '43', ...cors })
    expect(answer.json()).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
    const [record] = await read()
    expect(record).toEqual({
      id: sent.id,
      type: 'page_view',
      session_id: 'session-1',
      audience_member_id: null,
      url: sent.url,
      page_hostname: 'news.acme.example',
      page_path: '/articles/one',
      user_agent: userAgent,
      ip_address: '127.0.0.1',
      event_sequence: 3,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
    })
    expect(Math.abs(Date.parse(String(record?.created_at)) - Date.now())).toBeLessThan(5_000)
  })

  test.for(['application/json', 'text/plain', 'application/json; charset=utf-8'])('takes %s', async type => {
    expect((await send({ events: [event()] }, { 'content-type': type })).statusCode).toBe(202)
  })

  test('keeps the good events beside bad ones, in their order', async () => {
    const [a, b, c] = [
      event(),
      event({ url: '/relative' }),
      event({ type: 'sign_up', properties: { plan: 'year' } }),
    ]
    const answer = await send({ events: [a, b, 'no event', c, a] })
    expect(answer.statusCode).toBe(202)
    expect(answer.json()).toEqual({
      accepted: 2,
      duplicates: 1,
      rejected: [
        { index: 1, message: 'url must be an absolute http or https URL' },
        { index: 2, message: 'an event must be an object' },
      ],
    })
    expect((await read()).map(record => [record.id, record.properties])).toEqual([
      [a.id, undefined],
      [c.id, { plan: 'year' }],
    ])
  })

  test('answers 422 with the same list when all are bad', async () => {
    const answer = await send({ events: [event({ session_id: '' })] })
    expect(answer.statusCode).toBe(422)
    expect(answer.json()).toEqual({
      message: 'None of the events could be stored.',
      accepted: 0,
      duplicates: 0,
      rejected: [{ index: 0, message: 'session_id must be 1 to 128 visible ASCII characters' }],
    })
  })

  test.for([
    ['not JSON', '{', 400, { message: 'The body is not valid JSON.' }],
    ['nothing', '', 400, { message: 'The body is not valid JSON.' }],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, { message: 'The body is not UTF-8.' }],
    [
      'a list',
      '[]',
      422,
      {
        message: 'The body must be a JSON object with "events".',
        errors: { body: ['The body must be a JSON object with "events".'] },
      },
    ],
    [
      'null',
      'null',
      422,
      {
        message: 'The body must be a JSON object with "events".',
        errors: { body: ['The body must be a JSON object with "events".'] },
      },
    ],
    [
      'no events',
      '{}',
      422,
      {
        message: 'events must be a list of at least one event.',
        errors: { events: ['events must be a list of at least one event.'] },
      },
    ],
    [
      'an empty list',
      '{"events":[]}',
      422,
      {
        message: 'events must be a list of at least one event.',
        errors: { events: ['events must be a list of at least one event.'] },
      },
    ],
    [
      'events that are no list',
      '{"events":{}}',
      422,
      {
        message: 'events must be a list of at least one event.',
        errors: { events: ['events must be a list of at least one event.'] },
      },
    ],
    [
      '101 events',
      JSON.stringify({ events: Array.from({ length: 101 }, () => ({})) }),
      422,
      {
        message: 'events must be at most 100. Send the others in a further request.',
        errors: { events: ['events must be at most 100. Send the others in a further request.'] },
      },
    ],
    [
      'deep nesting',
      `{"events":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      422,
      {
        message: 'None of the events could be stored.',
        accepted: 0,
        duplicates: 0,
        rejected: [{ index: 0, message: 'an event must be an object' }],
      },
    ],
    [
      'more than 256 KiB',
      JSON.stringify({ events: [event({ url: `https://n.example/${'x'.repeat(256 * 1024)}` })] }),
      413,
      { message: 'The body is larger than this route takes. Send less at a time.' },
    ],
  ] as const)('refuses %s', async ([, body, status, expected]) => {
    const answer = await send(body)
    expect(answer.statusCode).toBe(status)
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', ...cors })
    expect(answer.json()).toEqual(expected)
  })

  test('refuses other media types with 415', async () => {
    const answer = await send('events=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect([answer.statusCode, answer.json()]).toEqual([
      415,
      { message: 'Send the body as application/json.' },
    ])
  })

  test('stores the same id once', async () => {
    const sent = event()
    await send({ events: [sent] })
    expect((await send({ events: [{ ...sent, id: sent.id.toUpperCase() }] })).json()).toEqual({
      accepted: 0,
      duplicates: 1,
      rejected: [],
    })
    expect(await read()).toHaveLength(1)
  })

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
    await platform.apply(`
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
    const answer = await platform.request(to, {
      url: '/api/platform/events',
      key: 'strict-key-of-at-least-thirty-two-characters',
    })
    const records: Record<string, unknown>[] = answer.json().data.events
    expect(records.map(({ ip_address, url: stored }) => [ip_address, stored])).toEqual([
      ['203.0.113.0', 'https://strict.example/?y=1'],
      ['2001:db8:1::', 'https://strict.example/?y=1'],
    ])
  })

  test('a preflight is answered for any origin, without credentials', async () => {
    const answer = await platform.request(host, {
      method: 'OPTIONS',
      url: '/api/sdk/events',
      headers: { origin: 'https://news.acme.example', 'access-control-request-method': 'POST' },
    })
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect(answer.headers).toMatchObject({
      ...cors,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '600',
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  test.for([
    ['the platform host', platformHost, 404],
    ['an unknown host', 'members.nobody.example', 404],
    ['an alias', 'accounts.acme.example', 421],
    ['the alias that always is', `acme.${platformHost}`, 421],
  ] as const)('is not served at %s', async ([, to, status]) => {
    const answer = await send({ events: [event()] }, {}, to)
    expect(answer.statusCode).toBe(status)
    expect(answer.json()).toEqual({ message: expect.any(String) })
    expect(answer.headers).toMatchObject(cors)
  })

  test('limits the requests of an address, with Retry-After', async () => {
    const limited = await createWholePlatform({ USHER_COLLECT_PER_MINUTE: '2' })
    const post = () =>
      limited.request(host, {
        method: 'POST',
        url: '/api/sdk/events',
        headers: { 'content-type': 'text/plain' },
        payload: JSON.stringify({ events: [event()] }),
      })
    expect((await post()).statusCode).toBe(202)
    expect((await post()).statusCode).toBe(202)
    const third = await post()
    expect([third.statusCode, third.json()]).toEqual([
      429,
      { message: 'Too many requests from this address. Send the events again later.' },
    ])
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0)
    expect(third.headers).toMatchObject(cors)
    await limited.close()
  })
})
