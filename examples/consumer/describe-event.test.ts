import type { EventRecord } from '@usher/consumer'
import { describe, expect, test } from 'vitest'
import { describeEvent } from './describe-event.ts'

const event = (n: number, more: Partial<EventRecord> = {}): EventRecord => ({
  id: `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`,
  type: 'page_view',
  session_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  audience_member_id: null,
  url: 'https://news.example/a?b=c',
  page_hostname: 'news.example',
  page_path: '/a',
  user_agent: 'Mozilla/5.0',
  ip_address: '192.0.2.1',
  event_sequence: n,
  created_at: '2026-01-05T12:00:00.000+00:00',
  ...more,
})

describe('an event in one line', () => {
  test('says when, what, where and in which session', () => {
    expect(describeEvent(event(4))).toBe('12:00:00 page_view        news.example/a · session …9a8057 #4')
    const saved = event(5, { type: 'article_saved', properties: { slug: 'x' }, audience_member_id: 'm-1' })
    expect(describeEvent(saved)).toBe(
      '12:00:00 article_saved    news.example/a {"slug":"x"} · session …9a8057 #5 · member m-1',
    )
  })

  test('holds nothing that a terminal would obey', () => {
    const line = describeEvent(
      event(1, { page_path: '/\u001b[2J\r\n\u009b31m\u202e', session_id: 'a\u0007b' }),
    )
    expect(line).toBe(
      '12:00:00 page_view        news.example/\uFFFD[2J\uFFFD\uFFFD\uFFFD31m\uFFFD · session …a\uFFFDb #1',
    )
  })
})
