import { Type } from 'typebox'

const timestamp = (description: string) => Type.String({ description })

/** The member whose token was sent: the answer of sdkMember.show (decisions, "The member's API"). */
export const MemberResponse = Type.Object(
  {
    data: Type.Object({
      id: Type.String({ description: 'A UUID; `audience_member_id` of events.' }),
      email: Type.String({ description: 'The verified mail address, in lower case.' }),
      name: Type.Union([Type.String(), Type.Null()], { description: 'Null while it is not known.' }),
      created_at: timestamp('When the member first signed in.'),
    }),
  },
  {
    $id: 'Member',
    description: 'The member of the token.',
    examples: [
      {
        data: {
          id: '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6a',
          email: 'ada@example.com',
          name: null,
          created_at: '2026-07-01T09:30:00.000+00:00',
        },
      },
    ],
  },
)
export type MemberResponse = Type.Static<typeof MemberResponse>

const sessionFields = {
  kind: Type.Enum(['device', 'integration'], {
    description: "`device` is a browser's, `integration` is of a partner's application.",
  }),
  client: Type.Union(
    [Type.Object({ client_id: Type.String(), name: Type.Union([Type.String(), Type.Null()]) }), Type.Null()],
    { description: 'The application of an integration; its name is null when it is gone.' },
  ),
  device: Type.String({
    description: 'Browser and system in words, `Unknown device` where they say nothing.',
  }),
  address: Type.Union([Type.String(), Type.Null()], { description: 'The network address it began from.' }),
  created_at: timestamp('When it began.'),
  last_seen_at: timestamp('When it was last in use, to about five minutes.'),
  last_seen_address: Type.Union([Type.String(), Type.Null()], {
    description: 'The network address of that use.',
  }),
  expires_at: timestamp('When it ends by itself.'),
}
const exampleSession = {
  kind: 'device',
  client: null,
  device: 'Firefox on Windows',
  address: '192.0.2.7',
  created_at: '2026-07-01T09:30:00.000+00:00',
  last_seen_at: '2026-07-02T18:05:00.000+00:00',
  last_seen_address: '192.0.2.9',
  expires_at: '2026-07-31T09:30:00.000+00:00',
}
const sessionId = Type.String({ description: 'A UUID; `sid` of its tokens.' })

/** A live session of a member. */
export const MemberSessionItem = Type.Object(
  {
    id: sessionId,
    ...sessionFields,
    current: Type.Boolean({ description: 'Whether it is the session of the token that was sent.' }),
  },
  { $id: 'MemberSession' },
)
export type MemberSessionItem = Type.Static<typeof MemberSessionItem>

/** The member's live sessions, the one seen last first: the answer of sdkMemberSession.index. */
export const MemberSessionList = Type.Object(
  { data: Type.Array(MemberSessionItem) },
  {
    $id: 'MemberSessionList',
    description: 'Where the member is signed in.',
    examples: [{ data: [{ id: '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6b', ...exampleSession, current: true }] }],
  },
)
export type MemberSessionList = Type.Static<typeof MemberSessionList>

/** A live session of a member as a JSON:API resource, for the tenant's staff. */
export const MemberSessionResource = Type.Object(
  {
    id: sessionId,
    type: Type.Literal('member-sessions'),
    attributes: Type.Object({
      member_id: Type.String({ description: 'A UUID; `audience_member_id` of events.' }),
      ...sessionFields,
    }),
  },
  { $id: 'MemberSessionResource' },
)
export type MemberSessionResource = Type.Static<typeof MemberSessionResource>

/** A member's live sessions, the one seen last first: the answer of memberSession.index. */
export const MemberSessionResourceList = Type.Object(
  { data: Type.Array(MemberSessionResource) },
  {
    $id: 'MemberSessionResourceList',
    description: 'Where the member is signed in; nothing where there is no such member.',
    examples: [
      {
        data: [
          {
            id: '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6b',
            type: 'member-sessions',
            attributes: { member_id: '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6a', ...exampleSession },
          },
        ],
      },
    ],
  },
)
export type MemberSessionResourceList = Type.Static<typeof MemberSessionResourceList>
