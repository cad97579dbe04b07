import { describe, expect, test } from 'vitest'
import { exampleEvent, operationOf, operations } from '../testing/contract/operations.ts'
import { useVariedOperations } from '../testing/contract/use-varied-operations.ts'
import { placesOf, withValueAt, wrongValues } from '../testing/contract/wrong-values.ts'

const contract = useVariedOperations()
const { vary, expectRefusal, nothingChanged } = contract
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

test('no log line of all this holds a key, a mail address, a cookie or a query', () => {
  expect(contract.platform.linesWithSecrets()).toEqual([])
})
