import { describe, expect, test } from 'vitest'
import { readEvent } from './read-event.ts'

const good = { type: 'page_view', session_id: 's1', url: 'https://n.example/', event_sequence: 0 }
const long = (length: number) => 'x'.repeat(length)

describe('one event (decisions, "Events")', () => {
  test.for([
    ['the least', good],
    ['an id of any version', { ...good, id: '3F2504E0-4F89-41D3-9A0C-0305E82C3301' }],
    ['a session of 128 characters', { ...good, session_id: long(128) }],
    [
      'a custom event with properties',
      { ...good, type: 'add_to_cart', properties: { sku: 'a', n: 1.5, gift: true, note: null } },
    ],
    ['a heartbeat', { ...good, type: 'heartbeat' }],
    ['a heartbeat with its seconds', { ...good, type: 'heartbeat', seconds: 30 }],
    ['the greatest sequence', { ...good, event_sequence: Number.MAX_SAFE_INTEGER }],
    ['a time with an offset', { ...good, occurred_at: '2026-11-21T10:00:00+02:00' }],
    ['a URL of 8192 characters', { ...good, url: `https://n.example/${long(8192 - 18)}` }],
    ['an emoji', { ...good, url: 'https://n.example/😀' }],
  ])('is taken: %s', ([, event]) => {
    expect(readEvent(event)).toEqual({ event, warning: undefined })
  })

  test.for([
    ['no object', 'x', 'an event must be an object'],
    ['null', null, 'an event must be an object'],
    ['a list', [], 'an event must be an object'],
    ['no type', { session_id: 's', url: good.url, event_sequence: 1 }, 'type is missing'],
    ['nothing', {}, 'type is missing'],
    ['no session', { type: 'a', url: good.url, event_sequence: 1 }, 'session_id is missing'],
    [
      'type in upper case',
      { ...good, type: 'Page' },
      'type must be page_view, heartbeat or a name of 1 to 64 lower-case letters, digits and underscores',
    ],
    [
      'type that begins with a digit',
      { ...good, type: '1a' },
      'type must be page_view, heartbeat or a name of 1 to 64 lower-case letters, digits and underscores',
    ],
    [
      'type of 65 characters',
      { ...good, type: long(65) },
      'type must be page_view, heartbeat or a name of 1 to 64 lower-case letters, digits and underscores',
    ],
    ['an id that is no UUID', { ...good, id: '1' }, 'id must be a UUID'],
    ['a numeric id', { ...good, id: 1 }, 'id must be a UUID'],
    ['an empty session', { ...good, session_id: '' }, 'session_id must be 1 to 128 visible ASCII characters'],
    [
      'a session of 129 characters',
      { ...good, session_id: long(129) },
      'session_id must be 1 to 128 visible ASCII characters',
    ],
    [
      'a space in the session',
      { ...good, session_id: 'a b' },
      'session_id must be 1 to 128 visible ASCII characters',
    ],
    [
      'a line break after the session',
      { ...good, session_id: 'a\n' },
      'session_id must be 1 to 128 visible ASCII characters',
    ],
    [
      'NUL in the session',
      { ...good, session_id: 'a\0' },
      'session_id must be 1 to 128 visible ASCII characters',
    ],
    [
      'a URL of 8193 characters',
      { ...good, url: `https://n.example/${long(8193 - 18)}` },
      'url must be an absolute http or https URL of at most 8192 characters',
    ],
    ['NUL in the URL', { ...good, url: 'https://n.example/\0' }, 'url must not hold NUL or a lone surrogate'],
    [
      'a lone surrogate in the URL',
      { ...good, url: 'https://n.example/\ud800' },
      'url must not hold NUL or a lone surrogate',
    ],
    ['a negative sequence', { ...good, event_sequence: -1 }, 'event_sequence must be an integer from 0'],
    ['half a sequence', { ...good, event_sequence: 1.5 }, 'event_sequence must be an integer from 0'],
    [
      'a sequence past 2^53',
      { ...good, event_sequence: 2 ** 53 },
      'event_sequence must be an integer from 0',
    ],
    [
      'a heartbeat of no second',
      { ...good, type: 'heartbeat', seconds: 0 },
      'seconds must be an integer from 1 to 3600, for heartbeats',
    ],
    [
      'a heartbeat of half a second',
      { ...good, type: 'heartbeat', seconds: 0.5 },
      'seconds must be an integer from 1 to 3600, for heartbeats',
    ],
    ['a sequence as text', { ...good, event_sequence: '1' }, 'event_sequence must be an integer from 0'],
    [
      'a time without offset',
      { ...good, occurred_at: '2026-11-21T10:00:00' },
      'occurred_at must be an ISO 8601 timestamp with a UTC offset',
    ],
    [
      'a time that does not exist',
      { ...good, occurred_at: '2026-13-45T10:00:00Z' },
      'occurred_at must be a time that exists',
    ],
    [
      'nested properties',
      { ...good, type: 'a', properties: { a: {} } },
      'properties must be a flat object of strings, numbers, booleans and nulls, for custom events',
    ],
    [
      'properties as a list',
      { ...good, type: 'a', properties: [1] },
      'properties must be a flat object of strings, numbers, booleans and nulls, for custom events',
    ],
    [
      'NUL in a property',
      { ...good, type: 'a', properties: { a: '\0' } },
      'properties must not hold NUL or a lone surrogate',
    ],
    [
      'a lone surrogate in a name',
      { ...good, type: 'a', properties: { '\udc00': 1 } },
      'properties must not hold NUL or a lone surrogate',
    ],
    [
      'properties past 4 KiB',
      { ...good, type: 'a', properties: { a: long(4096) } },
      'properties must be at most 4096 bytes of JSON',
    ],
  ] as const)('is refused with its reason: %s', ([, event, refusal]) => {
    expect(readEvent(event)).toEqual({ refusal })
  })

  test('an unknown field is dropped with a warning', () => {
    const read = readEvent(JSON.parse(JSON.stringify({ ...good, colour: 'red', __proto__x: 1 })))
    expect(read).toMatchObject({
      warning: 'dropped, as page_view events have no such field: colour, __proto__x',
    })
  })

  test('a prototype key pollutes nothing', () => {
    const read = readEvent(
      JSON.parse(
        '{"__proto__":{"polluted":1},"type":"a","session_id":"s","url":"https://n.example/","event_sequence":1}',
      ),
    )
    expect(read).toMatchObject({ warning: 'dropped, as a events have no such field: __proto__' })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('properties of a page view are dropped with a warning', () => {
    const read = readEvent({ ...good, properties: { a: 1 } })
    expect(read).toEqual({
      event: good,
      warning: 'dropped, as page_view events have no such field: properties',
    })
  })

  test.for(['page_view', 'add_to_cart'])('seconds of a %s are dropped with a warning', type => {
    expect(readEvent({ ...good, type, seconds: 30 })).toEqual({
      event: { ...good, type },
      warning: `dropped, as ${type} events have no such field: seconds`,
    })
  })
})
