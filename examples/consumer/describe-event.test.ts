import { describe, expect, test } from 'vitest'
import { event } from '../../consumer/src/testing/example-event.ts'
import { describeEvent } from './describe-event.ts'

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
