import { describe, expect, test } from 'vitest'
import { requestStamp, requestTemplate } from './request-template.ts'

const template = (eventsPerRequest: number) =>
  requestTemplate({ host: 'h', port: 1, path: '/p', eventsPerRequest, sessionId: 'session' })

function bodyOf({ bytes }: { bytes: Buffer }) {
  const [head = '', body = ''] = bytes.toString().split('\r\n\r\n')
  expect(head).toContain(`Content-Length: ${body.length}\r\n`)
  return JSON.parse(body) as { sent_at: string; events: { event_sequence: number; url: string }[] }
}

describe('a request of the load generator', () => {
  test('is as large as a real one: 400 to 500 bytes of body for an event', () => {
    const [, body = ''] = template(1).bytes.toString().split('\r\n\r\n')
    expect(body.length).toBeGreaterThanOrEqual(400)
    expect(body.length).toBeLessThanOrEqual(500)
  })

  test('carries the time that it is stamped with and counts its sequence numbers up', () => {
    const request = template(2)
    const stamp = requestStamp(() => Date.UTC(2026, 10, 21, 8, 30))
    stamp(request)
    expect(bodyOf(request)).toMatchObject({
      sent_at: '2026-11-21T08:30:00.000Z',
      events: [{ event_sequence: 1_000_001 }, { event_sequence: 1_000_001 }],
    })
    for (let more = 0; more < 9; more++) stamp(request)
    expect(bodyOf(request).events.map(event => event.event_sequence)).toEqual([1_000_010, 1_000_010])
  })

  test('begins again before a sequence number would grow longer', () => {
    const request = template(1)
    for (const at of request.sequenceAt) request.bytes.write('9999999', at)
    requestStamp()(request)
    expect(bodyOf(request).events[0]?.event_sequence).toBe(1_000_000)
  })
})
