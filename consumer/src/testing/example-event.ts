import type { EventRecord } from '../event-record.ts'

/** The record of a page view, the nth of its session, or what is given of another. */
export const event = (n: number, more: Partial<EventRecord> = {}): EventRecord => ({
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
