import type { IncomingEvent } from '@usher/contract'
import { toIso } from '../foundation/time.ts'
import type { PageUrl } from './page-url.ts'

/** What the server knows of a request beside its events. */
export interface RequestFacts {
  receivedAtMs: number
  /** Of the browser's clock against ours; added to what it calls occurred_at. */
  clockOffsetMs: number
  /** As JSON text. */
  userAgentJson: string
  address: string
  memberId: string | null
  bot: boolean
}

/** A browser's time is served only when it says something that created_at does not. */
const occurredAtToleranceMs = 5_000
/** The end of the year 9999: past it a timestamp has another form. */
const latestMs = Date.UTC(10_000, 0)

/** The record of interface 2.4 as JSON text, up to the value of created_at: that is known only under
 *  the tail's lock, and the database adds it (and the closing brace). */
export function eventRecord(event: IncomingEvent, id: string, page: PageUrl, facts: RequestFacts): string {
  let extra = ''
  if (event.occurred_at !== undefined) {
    const occurredAtMs = Date.parse(event.occurred_at) + facts.clockOffsetMs
    const isTime = Math.abs(occurredAtMs) < latestMs
    if (isTime && Math.abs(occurredAtMs - facts.receivedAtMs) > occurredAtToleranceMs)
      extra += `"occurred_at":"${toIso(new Date(occurredAtMs))}",`
  }
  if (event.properties !== undefined) extra += `"properties":${JSON.stringify(event.properties)},`
  if (event.seconds !== undefined) extra += `"seconds":${event.seconds},`
  if (facts.bot) extra += '"bot":true,'
  const memberId = facts.memberId === null ? 'null' : `"${facts.memberId}"`
  return `{"id":"${id}","type":"${event.type}","session_id":${JSON.stringify(event.session_id)},"audience_member_id":${memberId},"url":${JSON.stringify(page.url)},"page_hostname":${JSON.stringify(page.hostname)},"page_path":${JSON.stringify(page.path)},"user_agent":${facts.userAgentJson},"ip_address":"${facts.address}","event_sequence":${event.event_sequence},${extra}"created_at":"`
}
