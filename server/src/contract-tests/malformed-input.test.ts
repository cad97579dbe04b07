import { METHODS } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ContractPlatform,
  createContractPlatform,
  type SendOptions,
} from '../testing/contract/contract-platform.ts'
import { keys } from '../testing/contract/keys.ts'
import { canaries } from '../testing/contract/log-lines.ts'
import { addressOf, exampleEvent, operationOf, operations } from '../testing/contract/operations.ts'
import { describedOperations, routedOperations } from '../testing/contract/routes.ts'
import { hostileTexts, placesOf, withValueAt, wrongValues } from '../testing/contract/wrong-values.ts'
import { platformHost } from '../testing/whole-platform.ts'

const tenantHost = 'members.acme.example'
let platform: ContractPlatform
beforeAll(async () => {
  platform = await createContractPlatform({ USHER_COLLECT_PER_MINUTE: '0' })
})
afterAll(() => platform.close())
beforeEach(() => platform.reset())

/** Sends a variation of an operation's good request, with the credentials that it needs. */
function vary(name: string, options: Omit<SendOptions, 'host'>) {
  const { site, key } = operationOf(name)
  return platform.send(name, {
    host: site === 'platform' ? platformHost : tenantHost,
    authorization: key === 'none' ? undefined : `Bearer ${key === 'platform' ? keys.operator : keys.acme}`,
    ...options,
  })
}
type Answer = Awaited<ReturnType<typeof vary>>

/** Status and form of a refusal: one that the document has, with a message and nothing of the inside. */
function expectRefusal(name: string, answer: Answer, what: string, statuses: readonly number[]): void {
  const { statusCode, headers } = answer
  const { inputRefusal } = operationOf(name)
  if (inputRefusal) {
    expect([what, statusCode, answer.json()]).toEqual([what, inputRefusal.status, inputRefusal.body])
    return
  }
  expect([what, statusCode]).toEqual([what, expect.toBeOneOf([...statuses])])
  expect([what, headers['content-type']]).toEqual([what, 'application/json'])
  expect([what, answer.json()]).toEqual([
    what,
    expect.objectContaining({ message: expect.stringMatching(/./) }),
  ])
  const documented = describedOperations(platform.app).get(name)?.statuses ?? []
  expect([what, documented]).toEqual([what, expect.arrayContaining([statusCode])])
}
const nothingChanged = async () => expect(await platform.changes()).toEqual([])

const described = () => [...describedOperations(platform.app)]
const withBody = Object.keys(operations).filter(name => operations[name]?.payload)
const json = (value: unknown) => JSON.stringify(value)
const asText = (payload: string | Buffer, type = 'application/json') => ({
  payload,
  headers: { 'content-type': type },
})

describe.for(withBody)('the body of %s', name => {
  const good = operationOf(name).payload

  test.for([
    ['nothing', ''],
    ['a space', ' '],
    ['a brace', '{'],
    ['two values', '{}{}'],
    ['a trailing comma', '{"to":0,}'],
    ['a comment', '{/* */}'],
    ['single quotes', "{'to':0}"],
    ['names without quotes', '{to:0}'],
    ['NaN', '{"to":NaN}'],
    ['a hexadecimal number', '{"to":0x1}'],
    ['a control character in a string', '{"to":"\n"}'],
    ['a bad escape', '{"to":"\\x"}'],
    ['a string without an end', '{"to":"'],
    ['undefined', 'undefined'],
    ['a NUL', '\0'],
    ['XML', '<?xml version="1.0"?><to>0</to>'],
    ['a form', 'to=0'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['UTF-16', Buffer.from('{"to":0}', 'utf16le')],
    ['gzip', Buffer.from('1f8b0800000000000003', 'hex')],
  ] as const)('that is %s is 400', async ([what, body]) => {
    expectRefusal(name, await vary(name, asText(body)), what, [400])
    await nothingChanged()
  })

  test.for([
    'text/html',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    ...(name === 'POST /api/sdk/events' ? [] : ['text/plain']),
    'application/json, text/plain',
    'application',
    'json',
    '/',
    '*/*',
    '',
  ])('as %j is 415', async type => {
    const answer = await vary(name, asText(json(good), type))
    expectRefusal(name, answer, type, [415])
    await nothingChanged()
  })

  test('of more bytes than it takes is 413, and up to that is read', async () => {
    const limit = name === 'POST /api/sdk/events' ? 256 * 1024 : 64 * 1024
    const padded = (bytes: number) => json(good).padEnd(bytes, ' ')
    expectRefusal(name, await vary(name, asText(padded(limit + 1))), 'too large', [413])
    expectRefusal(name, await vary(name, asText('x'.repeat(10 * 1024 * 1024))), 'huge', [413])
    await nothingChanged()
    expect((await vary(name, asText(padded(limit)))).statusCode).toBe(operationOf(name).status)
  })

  test('that is nested as deep as it fits is refused, and breaks nothing', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const levels = Math.floor((60 * 1024) / (open.length + close.length))
      const nest = `${open.repeat(levels)}1${close.repeat(levels)}`
      for (const body of [nest, `{"to":${nest}}`, `{"events":${nest}}`, `{"events":[${nest}]}`])
        expectRefusal(name, await vary(name, asText(body)), body.slice(0, 20), [400, 422])
    }
    await nothingChanged()
  })

  test('with ten thousand names is refused or read, and breaks nothing', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`n${at}`, at]))
    expectRefusal(name, await vary(name, { payload: many }), 'many names', [422])
    const answer = await vary(name, { payload: { ...many, ...good } })
    expect(answer.statusCode).toBe(operationOf(name).status)
  })

  test('with a wrong value in any place is refused by name, or taken as it is', async () => {
    for (const place of placesOf(good))
      for (const value of wrongValues) {
        const what = `${place.join('.')} = ${json(value)?.slice(0, 60)}`
        const answer = await vary(name, asText(json(withValueAt(good, place, value))))
        if (answer.statusCode < 300) continue
        expectRefusal(name, answer, what, [400, 422])
        // Where the place is in an event, the reason names its field.
        const [, , field = ''] = place
        const { rejected } = answer.json() as { rejected?: { message: string }[] }
        expect([what, rejected?.map(({ message }) => message) ?? []]).toEqual([
          what,
          rejected ? [expect.stringContaining(field)] : [],
        ])
      }
    // What was taken can be read again, whatever it was.
    for (const queue of ['events', 'heartbeats']) {
      const answer = await vary(`GET /api/platform/${queue}`, {})
      expect(answer.json().data.count).toBe(answer.json().data.events.length)
    }
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  test('with names that objects have by themselves is no other for it', async () => {
    for (const own of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'then']) {
      for (const place of [[], ['events', '0']]) {
        if (name !== 'POST /api/sdk/events' && place.length > 0) continue
        const body = withValueAt(good, [...place, own], { polluted: true, to: 0, events: [] })
        const answer = await vary(name, asText(json(body)))
        expect([own, answer.statusCode]).toEqual([own, expect.toBeOneOf([operationOf(name).status, 400])])
      }
      const alone = await vary(name, asText(`{${json(own)}:${json(good)}}`))
      expectRefusal(name, alone, own, [400, 422])
    }
    expect(Object.prototype).not.toHaveProperty('polluted')
    expect(Object.prototype).not.toHaveProperty('events')
  })
})

describe('an event with NUL or a lone surrogate (decisions, "Events")', () => {
  const faults = ['\0', 'a\0', '\ud800', '\udc00a', 'a\ud800b']
  const stored = async (event: object) => {
    const answer = await vary('POST /api/sdk/events', { payload: { events: [event] } })
    const { rejected } = answer.json()
    return [answer.statusCode, ...rejected.map(({ message }: { message: string }) => message)]
  }

  test.for(['id', 'type', 'session_id', 'url', 'occurred_at'])('in %s is refused', async field => {
    for (const fault of faults) {
      const value = field === 'url' ? `https://news.acme.example/${fault}` : fault
      const [status, message] = await stored({ ...exampleEvent, [field]: value })
      expect([json(fault), status, message]).toEqual([json(fault), 422, expect.stringContaining(field)])
    }
    await nothingChanged()
  })

  test('in a property or its name is refused', async () => {
    for (const fault of faults)
      for (const properties of [{ plan: fault }, { [fault]: 'year' }, { plan: 'year', [`plan${fault}`]: 1 }])
        expect(await stored({ ...exampleEvent, properties })).toEqual([
          422,
          'properties must not hold NUL or a lone surrogate',
        ])
    await nothingChanged()
  })

  test('in an unknown field, or its name, does no harm: the field is dropped', async () => {
    for (const fault of faults)
      for (const more of [{ colour: fault }, { [fault]: 'red' }]) {
        const answer = await vary('POST /api/sdk/events', {
          payload: { events: [{ ...exampleEvent, ...more }] },
        })
        expect(answer.statusCode).toBe(202)
        expect(answer.json().warnings).toHaveLength(1)
      }
  })

  test('in what stands beside the events does no harm to them', async () => {
    for (const fault of faults)
      for (const more of [{ sent_at: fault }, { token: fault }, { other: fault }, { [fault]: 1 }]) {
        const answer = await vary('POST /api/sdk/events', { payload: { events: [exampleEvent], ...more } })
        expect([json(more), answer.statusCode]).toEqual([json(more), 202])
      }
  })

  test('beside good ones leaves them stored', async () => {
    const events = [exampleEvent, { ...exampleEvent, url: 'https://news.acme.example/\0' }, exampleEvent]
    const answer = await vary('POST /api/sdk/events', { payload: { events } })
    expect(answer.json()).toEqual({
      accepted: 2,
      duplicates: 0,
      rejected: [{ index: 1, message: 'url must not hold NUL or a lone surrogate' }],
    })
  })
})

describe('a query', () => {
  test('with a wrong value of a parameter is refused, and nothing happens', async () => {
    for (const [name, { parameters, statuses }] of described())
      for (const { name: parameter } of parameters.filter(one => one.in === 'query')) {
        const good = operationOf(name).query ?? ''
        const raw = [
          '%',
          '%zz',
          '%ff',
          '%ed%a0%80',
          '%00',
          '1%00',
          '+1',
          '1+',
          '%201',
          '0x1',
          '1e3',
          '١',
          '1,2',
        ]
        const texts = hostileTexts.filter(text => text.isWellFormed()).map(encodeURIComponent)
        for (const value of [...raw, ...texts]) {
          // The value alone, and beside a good one: sent twice.
          for (const query of [`${parameter}=${value}`, `${good}&${parameter}=${value}`]) {
            const answer = await vary(name, { query: query.replace(/^&/, '') })
            expectRefusal(name, answer, `${name}?${query}`, statuses.includes(400) ? [400, 422] : [422])
          }
        }
      }
    await nothingChanged()
  })

  test('with a parameter twice, or as a list or an object, is refused', async () => {
    for (const [name, { parameters, statuses }] of described())
      for (const { name: parameter } of parameters.filter(one => one.in === 'query')) {
        const value =
          { 'fields[tenants]': 'name', first_id: platform.recorded.acme.events[1] ?? '' }[parameter] ?? '1'
        const required = parameter === 'count' || name.startsWith('GET') ? '' : 'count=1&'
        const query = `${required}${parameter}=${value}&${parameter}=${value}`
        const answer = await vary(name, { query })
        expectRefusal(name, answer, `${name}?${query}`, statuses.includes(400) ? [400] : [422])
      }
    await nothingChanged()
  })

  test('with parameters that a route does not know is answered as without them', async () => {
    const unknown = [
      '__proto__=1',
      '__proto__[polluted]=1',
      'constructor[prototype][polluted]=1',
      'toString=1',
      'hasOwnProperty=1',
      'count[]=5',
      'limit[a]=1',
      'LIMIT=x',
      '&&&',
      '=',
      '%',
      '%zz=%zz',
      '%00=%00',
      'a'.repeat(4_000),
      Array.from({ length: 1_500 }, (_, at) => `p${at}=1`).join('&'),
    ]
    for (const name of Object.keys(operations)) {
      const { query: good, status } = operationOf(name)
      for (const query of unknown) {
        const answer = await vary(name, { query: good ? `${good}&${query}` : query })
        expect([name, query.slice(0, 40), answer.statusCode]).toEqual([name, query.slice(0, 40), status])
        if (!name.startsWith('GET')) await platform.reset()
      }
    }
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  test('with what JSON:API reserves and the tenant list does not support is 400', async () => {
    const name = 'GET /api/v1/landlord/tenants'
    for (const query of [
      'include=staff',
      'sort=name',
      'filter[name]=acme',
      'page[size]=1',
      'fields[staff]=name',
      'fields=name',
      'fields[tenants][]=name',
      'fields[tenants]=name,,slug',
      'fields[tenants]=name,name',
      'fields[tenants]=Name',
      'fields[tenants]=__proto__',
      'fields[tenants]=id',
    ])
      expectRefusal(name, await vary(name, { query }), query, [400])
  })
})

describe('a header', () => {
  test('that an operation takes, with a wrong value, is refused, and nothing happens', async () => {
    for (const [name, { parameters }] of described())
      for (const { name: header } of parameters.filter(one => one.in === 'header'))
        for (const value of [
          '',
          ' ',
          'a b',
          'a\tb',
          'a, b',
          'é',
          '\x80',
          'x'.repeat(256),
          'x'.repeat(8_000),
        ]) {
          const answer = await vary(name, { headers: { [header.toLowerCase()]: value } })
          expectRefusal(name, answer, `${name} ${header}: ${json(value).slice(0, 30)}`, [422])
        }
    await nothingChanged()
  })

  test('that says something odd of the client is no harm', async () => {
    const odd = [
      '',
      ',',
      ',,,',
      'é\x80\xff',
      '"',
      '\\',
      '{"a":1}',
      'unknown',
      '::',
      '1.2.3.4.5',
      'x'.repeat(8_000),
    ]
    for (const header of [
      'user-agent',
      'x-forwarded-for',
      'origin',
      'referer',
      'accept',
      'accept-encoding',
      'if-none-match',
      'range',
      'cookie',
    ])
      for (const value of odd)
        for (const name of [
          'POST /api/sdk/events',
          'GET /api/platform/events',
          'GET /sdk.js',
          'GET /readyz',
        ]) {
          const answer = await vary(name, { headers: { [header]: value } })
          expect([name, header, value.slice(0, 20), answer.statusCode]).toEqual([
            name,
            header,
            value.slice(0, 20),
            operationOf(name).status,
          ])
        }
    const { events } = (await vary('GET /api/platform/events', {})).json().data
    expect(new Set(events.map((event: { ip_address: string }) => event.ip_address))).toEqual(
      new Set(['127.0.0.1']),
    )
  })
})

describe('a method that a path does not have', () => {
  const routes = Map.groupBy(Object.keys(operations), name => name.split(' ')[1] ?? '')

  test.for([...routes])('%s', async ([pattern, names]) => {
    const { path } = addressOf(names[0] ?? '')
    const routed = routedOperations(platform.app)
    for (const method of METHODS) {
      if (method === 'CONNECT' || routed.includes(`${method} ${pattern}`)) continue
      for (const host of [platformHost, tenantHost]) {
        const answer = await platform.app.inject({
          method: method as 'GET',
          url: `${path}?count=1&${canaries.query}=1`,
          headers: { host, authorization: `Bearer ${keys.acme}`, 'content-type': 'application/json' },
          ...(!['GET', 'HEAD', 'TRACE'].includes(method) && { payload: '{"to":0}' }),
        })
        expect([method, answer.statusCode]).toEqual([method, 404])
        expect(answer.headers['content-type']).toBe('application/json')
        if (method !== 'HEAD') expect(answer.json()).toEqual({ message: 'There is nothing at this address.' })
      }
    }
    await nothingChanged()
  })
})

test('an address that does not exist is 404 with a message, whatever is sent there', async () => {
  for (const url of [
    '/nowhere',
    '/api',
    '/api/v1',
    '/api/v1/landlord',
    '/api/v2/health',
    '/favicon.ico',
    '/.env',
  ])
    for (const host of [platformHost, tenantHost, 'accounts.acme.example', 'nobody.example'])
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        const answer = await platform.app.inject({ method, url, headers: { host } })
        expect([url, answer.statusCode, answer.json()]).toEqual([
          url,
          404,
          { message: 'There is nothing at this address.' },
        ])
      }
})

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(platform.linesWithSecrets()).toEqual([])
})
