import { describe, expect, test } from 'vitest'
import { cors, event, userAgent, useTestCollect } from '../testing/use-test-collect.ts'
import { createWholePlatform, platformHost } from '../testing/whole-platform.ts'

const collect = useTestCollect()
const { host, send, read } = collect

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

  test('a preflight is answered for any origin, without credentials', async () => {
    const answer = await collect.platform.request(host, {
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
