import type { EventRecord } from '@usher/consumer'

/** What the page or its reader chose may hold anything, also what a terminal would take for a command. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\uFFFD')
}

/** An event in one line: when, what, where, in whose session. */
export function describeEvent(event: EventRecord): string {
  const time = event.created_at.slice(11, 19)
  const member = event.audience_member_id ? ` · member ${event.audience_member_id}` : ''
  const properties = event.properties ? ` ${JSON.stringify(event.properties)}` : ''
  // Ids that are UUIDv7s begin with the time, so their ends tell them apart.
  const session = `session …${event.session_id.slice(-6)} #${event.event_sequence}`
  return printable(
    `${time} ${event.type.padEnd(16)} ${event.page_hostname}${event.page_path}${properties} · ${session}${member}`,
  )
}
