import { Type } from 'typebox'

/** The names of the two queues, as in the health report. */
export const queueNames = ['events', 'heartbeats'] as const
export type QueueName = (typeof queueNames)[number]

/** Most events of one GET (interface 8) and its most bytes. */
export const maxEventsPerRead = 10_000
export const maxBytesPerRead = 32 * 1024 * 1024

/** Limits of one request to collect (decisions, "Events"). */
export const maxEventsPerRequest = 100
export const maxRequestBytes = 256 * 1024
export const maxPropertiesBytes = 4 * 1024
export const maxUserAgentLength = 1024
/** Most attention that one heartbeat can stand for. */
export const maxHeartbeatSeconds = 3600

const id = Type.String({
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  description: 'a UUID',
})
const type = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,63}$',
  description: 'page_view, heartbeat or a name of 1 to 64 lower-case letters, digits and underscores',
})
const sessionId = Type.String({
  pattern: '^[\\x21-\\x7e]{1,128}$',
  description: '1 to 128 visible ASCII characters',
})
const timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
  description: 'an ISO 8601 timestamp with a UTC offset',
})

/** An event as a browser sends it. Each description completes "<field> must be …". */
export const IncomingEvent = Type.Object(
  {
    id: Type.Optional(id),
    type,
    session_id: sessionId,
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'an absolute http or https URL of at most 8192 characters',
    }),
    event_sequence: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'an integer from 0',
    }),
    occurred_at: Type.Optional(timestamp),
    properties: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
        description: 'a flat object of strings, numbers, booleans and nulls, for custom events',
      }),
    ),
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxHeartbeatSeconds,
        description: `an integer from 1 to ${maxHeartbeatSeconds}, for heartbeats`,
      }),
    ),
  },
  {
    $id: 'IncomingEvent',
    examples: [
      {
        id: '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a70',
        type: 'page_view',
        session_id: '019aa2f0-5c1e-7a40-9c3b-000000000001',
        url: 'https://news.example.com/articles/one?utm_source=letter',
        event_sequence: 0,
        occurred_at: '2026-11-21T08:30:00.000Z',
      },
    ],
  },
)
export type IncomingEvent = Type.Static<typeof IncomingEvent>

/** The body of POST /api/sdk/events. */
export const CollectRequest = Type.Object(
  {
    events: Type.Array(Type.Ref('IncomingEvent'), { minItems: 1, maxItems: maxEventsPerRequest }),
    sent_at: Type.Optional(timestamp),
    token: Type.Optional(Type.String({ description: "The member's token, where a member is signed in." })),
  },
  {
    $id: 'CollectRequest',
    examples: [
      {
        events: [
          {
            id: '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a70',
            type: 'page_view',
            session_id: '019aa2f0-5c1e-7a40-9c3b-000000000001',
            url: 'https://news.example.com/articles/one?utm_source=letter',
            event_sequence: 0,
            occurred_at: '2026-11-21T08:30:00.000Z',
          },
        ],
        sent_at: '2026-11-21T08:30:00.050Z',
      },
    ],
  },
)

const rejected = Type.Array(
  Type.Object({
    index: Type.Integer({ description: 'Place of the event in the request, from 0.' }),
    message: Type.String({ description: 'Why it was refused.' }),
  }),
)

export const CollectResponse = Type.Object(
  {
    accepted: Type.Integer({ description: 'Events stored by this request.' }),
    duplicates: Type.Integer({ description: 'Events that were stored before, by their id.' }),
    rejected,
    warnings: Type.Optional(rejected),
  },
  {
    $id: 'CollectResponse',
    description: 'What became of the events. Those that were accepted are stored.',
    examples: [
      { accepted: 1, duplicates: 0, rejected: [] },
      {
        accepted: 1,
        duplicates: 1,
        rejected: [{ index: 2, message: 'event_sequence must be an integer from 0' }],
        warnings: [{ index: 0, message: 'dropped, as page_view events have no such field: referrer' }],
      },
    ],
  },
)
export type CollectResponse = Type.Static<typeof CollectResponse>

export const CollectRefusal = Type.Object(
  {
    message: Type.String(),
    accepted: Type.Integer(),
    duplicates: Type.Integer(),
    rejected,
    warnings: Type.Optional(rejected),
  },
  {
    $id: 'CollectRefusal',
    description: 'None of the events could be stored.',
    examples: [
      {
        message: 'None of the events could be stored.',
        accepted: 0,
        duplicates: 0,
        rejected: [
          { index: 0, message: 'url must be an absolute http or https URL of at most 8192 characters' },
        ],
      },
    ],
  },
)

/** A queue item (interface 2.4). The fields after created_at's row there are served only when they say something. */
export const EventRecord = Type.Object(
  {
    id: Type.String(),
    type: Type.String({ description: 'Event kind, for example page_view.' }),
    session_id: Type.String(),
    audience_member_id: Type.Union([Type.String(), Type.Null()], {
      description: 'Null when no member is attached.',
    }),
    url: Type.String({ description: 'Full page URL, without credentials.' }),
    page_hostname: Type.String(),
    page_path: Type.String(),
    user_agent: Type.String(),
    ip_address: Type.String(),
    event_sequence: Type.Integer(),
    created_at: Type.String({
      format: 'date-time',
      description: 'Receipt time, ISO 8601 with UTC offset; never decreases within a queue.',
    }),
    occurred_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: "The browser's time, when it differs from the receipt by more than 5 seconds.",
      }),
    ),
    properties: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Of a custom event, as sent.' }),
    ),
    seconds: Type.Optional(
      Type.Integer({
        description:
          'Of a heartbeat: seconds for which the page was visible and focused, since the view or the last heartbeat.',
      }),
    ),
    bot: Type.Optional(Type.Literal(true, { description: 'Present when the user agent is a known bot.' })),
  },
  {
    $id: 'EventRecord',
    examples: [
      {
        id: '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a70',
        type: 'page_view',
        session_id: '019aa2f0-5c1e-7a40-9c3b-000000000001',
        audience_member_id: null,
        url: 'https://news.example.com/articles/one?utm_source=letter',
        page_hostname: 'news.example.com',
        page_path: '/articles/one',
        user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
        ip_address: '203.0.113.7',
        event_sequence: 0,
        created_at: '2026-11-21T08:30:00.123+00:00',
      },
    ],
  },
)
export type EventRecord = Type.Static<typeof EventRecord>

/** The answer of GET /api/platform/events (interface 4.4). */
export const EventsResponse = Type.Object(
  {
    data: Type.Object({
      count: Type.Integer({
        description: 'Number of events in this answer; send it back as the count of the DELETE.',
      }),
      events: Type.Array(Type.Ref('EventRecord')),
    }),
  },
  {
    $id: 'EventsResponse',
    description: 'What stands at the front of the queue, oldest first.',
    examples: [
      {
        data: {
          count: 1,
          events: [
            {
              id: '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a70',
              type: 'page_view',
              session_id: '019aa2f0-5c1e-7a40-9c3b-000000000001',
              audience_member_id: null,
              url: 'https://news.example.com/articles/one?utm_source=letter',
              page_hostname: 'news.example.com',
              page_path: '/articles/one',
              user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
              ip_address: '203.0.113.7',
              event_sequence: 0,
              created_at: '2026-11-21T08:30:00.123+00:00',
            },
          ],
        },
      },
      { data: { count: 0, events: [] } },
    ],
  },
)

/** The body of POST …/rewind: one of the two. */
export const RewindRequest = Type.Object(
  {
    to: Type.Union([
      Type.Integer({ minimum: 0, description: 'A position: how many events had been removed.' }),
      Type.String({
        format: 'date-time',
        description: 'A time: the first event received then or later is next.',
      }),
    ]),
  },
  { $id: 'RewindRequest', examples: [{ to: '2026-11-20T00:00:00+00:00' }, { to: 0 }] },
)

export const RewindResponse = Type.Object(
  {
    data: Type.Object({ position: Type.Integer(), depth: Type.Integer({ description: 'What waits now.' }) }),
  },
  {
    $id: 'RewindResponse',
    description: 'Where the front of the queue is now.',
    examples: [{ data: { position: 1200, depth: 345 } }],
  },
)
