import {
  type CollectResponse,
  type IncomingEvent,
  maxEventsPerRequest,
  type QueueName,
} from '@usher/contract'
import { isbot } from 'isbot'
import { invalid } from '../foundation/http/index.ts'
import { toIso } from '../foundation/time.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import type { EventSettings } from '../tenancy/index.ts'
import { eventRecord, type RequestFacts } from './event-record.ts'
import type { LogWriter } from './log-writer.ts'
import { readPageUrl, secretParameterNames } from './page-url.ts'
import { readEvent } from './read-event.ts'
import { shortenAddress } from './shorten-address.ts'

/** A parsed request to collect, and what the server knows of it. */
export interface CollectInput {
  body: unknown
  tenantId: string
  settings: EventSettings
  receivedAtMs: number
  address: string
  userAgent: UserAgent
  /** The id of the member whose token is good now. Throws 503 when that cannot be known. */
  findMemberId(token: string): Promise<string | undefined>
}

type Remark = CollectResponse['rejected'][number]

/** What the events of one request came to; `status` 422 when none of them is stored. */
export interface Collected {
  status: 202 | 422
  body: CollectResponse
}

/** Events of one request that go to one queue. */
interface Part {
  ids: string[]
  records: string[]
  /** Places in the request. */
  indices: number[]
}

/** Checks each event on its own, adds what only the server knows, and answers after the commit
 *  (decisions, "Events"). Throws 422 when the body holds no events, 503 when they cannot be stored now. */
export async function collectEvents(
  { body, tenantId, settings, receivedAtMs, address, userAgent, findMemberId }: CollectInput,
  writers: Record<QueueName, LogWriter>,
): Promise<Collected> {
  const { events, token, clockOffsetMs, warning } = readBody(body, receivedAtMs)
  const rejected: Remark[] = []
  const warnings: Remark[] = []
  if (warning) warnings.push({ index: 0, message: warning })
  if (settings.bots === 'drop' && userAgent.isBot) {
    const message = 'not stored: this tenant records no bots, and the user agent is a known one'
    return {
      status: 202,
      body: {
        accepted: 0,
        duplicates: 0,
        rejected,
        warnings: events.map((_, index) => ({ index, message })),
      },
    }
  }
  const facts: RequestFacts = {
    receivedAtMs,
    clockOffsetMs,
    userAgentJson: userAgent.json,
    address: settings.shortenAddresses ? shortenAddress(address) : address,
    // Only what carries a token waits for it to be verified.
    memberId: token === undefined ? null : ((await findMemberId(token)) ?? null),
    bot: userAgent.isBot,
  }
  const secrets = secretsOf(settings)
  const parts: Record<QueueName, Part | undefined> = { events: undefined, heartbeats: undefined }
  for (let index = 0; index < events.length; index++) {
    const read = readEvent(events[index])
    if ('refusal' in read) {
      rejected.push({ index, message: read.refusal })
      continue
    }
    const { event } = read
    const page = readPageUrl(event.url, secrets)
    if (!page) {
      rejected.push({ index, message: 'url must be an absolute http or https URL' })
      continue
    }
    if (settings.siteHosts.length > 0 && !settings.siteHosts.includes(page.hostname)) {
      rejected.push({
        index,
        message: `${page.hostname} is not among the site hosts that this tenant accepts events from`,
      })
      continue
    }
    if (read.warning) warnings.push({ index, message: read.warning })
    const id = event.id?.toLowerCase() ?? uuidv7()
    add(parts, event, index, id, eventRecord(event, id, page, facts))
  }

  const body202: CollectResponse = { accepted: 0, duplicates: 0, rejected }
  if (warnings.length > 0) body202.warnings = warnings
  const receivedAt = toIso(new Date(receivedAtMs))
  const store = async (queue: QueueName): Promise<void> => {
    const part = parts[queue]
    if (!part) return
    const { duplicates, refused } = await writers[queue].submit({
      tenantId,
      receivedAt,
      ids: part.ids,
      records: part.records,
    })
    body202.duplicates += duplicates.length
    body202.accepted += part.ids.length - duplicates.length - refused.length
    for (const place of refused)
      rejected.push({ index: part.indices[place] ?? 0, message: 'the database cannot store this event' })
  }
  if (parts.heartbeats) await Promise.all([store('events'), store('heartbeats')])
  else await store('events')
  if (rejected.length > 1) rejected.sort((a, b) => a.index - b.index)
  return { status: rejected.length === events.length ? 422 : 202, body: body202 }
}

function add(
  parts: Record<QueueName, Part | undefined>,
  event: IncomingEvent,
  index: number,
  id: string,
  record: string,
): void {
  const queue = event.type === 'heartbeat' ? 'heartbeats' : 'events'
  const part = parts[queue]
  if (!part) {
    parts[queue] = { ids: [id], records: [record], indices: [index] }
    return
  }
  part.ids.push(id)
  part.records.push(record)
  part.indices.push(index)
}

function readBody(body: unknown, receivedAtMs: number) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid({ body: ['The body must be a JSON object with "events".'] })
  const { events, sent_at: sentAt, token } = body as { events?: unknown; sent_at?: unknown; token?: unknown }
  if (!Array.isArray(events) || events.length === 0)
    throw invalid({ events: ['events must be a list of at least one event.'] })
  if (events.length > maxEventsPerRequest)
    throw invalid({
      events: [`events must be at most ${maxEventsPerRequest}. Send the others in a further request.`],
    })
  const sentAtMs = typeof sentAt === 'string' ? Date.parse(sentAt) : Number.NaN
  const clockOffsetMs = Number.isNaN(sentAtMs) ? 0 : receivedAtMs - sentAtMs
  const isWrong = sentAt !== undefined && Number.isNaN(sentAtMs)
  return {
    events: events as unknown[],
    token: typeof token === 'string' ? token : undefined,
    clockOffsetMs,
    warning: isWrong ? 'sent_at is not an ISO 8601 timestamp and was not used' : undefined,
  }
}

const secretsBySettings = new WeakMap<EventSettings, ReadonlySet<string>>()
function secretsOf(settings: EventSettings): ReadonlySet<string> {
  let secrets = secretsBySettings.get(settings)
  if (!secrets) {
    secrets = secretParameterNames(settings.secretParameters)
    secretsBySettings.set(settings, secrets)
  }
  return secrets
}

/** A User-Agent header as it is stored, and whether it is a known bot's. */
export interface UserAgent {
  json: string
  isBot: boolean
}

/** Reads a User-Agent header: "" where missing, cut after `maxLength`. */
export function readUserAgent(header: string | undefined, maxLength: number): UserAgent {
  const text = (header ?? '').slice(0, maxLength).toWellFormed()
  return { json: JSON.stringify(text), isBot: isbot(text) }
}
