import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import type { Members } from '../members/index.ts'
import { openTestMembers, signInTestMember, type TestSignIn } from '../testing/members.ts'
import { createWholePlatform, platformHost, tokens, type WholePlatform } from '../testing/whole-platform.ts'

const host = 'members.acme.example'
let platform: WholePlatform
let members: Members
let ada: TestSignIn
beforeAll(async () => {
  platform = await createWholePlatform()
  members = openTestMembers(platform.database)
})
afterAll(async () => {
  await members.close()
  await platform.close()
})
beforeEach(async () => {
  ada = await signInTestMember(members, platform.database)
})

/** Records an event with a token, and answers the member that its record has. */
async function memberOfEvent(token: unknown, type = 'page_view') {
  const id = uuidv7()
  const answer = await platform.request(host, {
    method: 'POST',
    url: '/api/sdk/events',
    payload: {
      events: [{ id, type, session_id: 's', url: 'https://news.acme.example/', event_sequence: 0 }],
      token,
    },
  })
  expect([answer.statusCode, answer.json()]).toEqual([202, { accepted: 1, duplicates: 0, rejected: [] }])
  const queue = type === 'heartbeat' ? 'heartbeats' : 'events'
  const read = await platform.request(platformHost, { url: `/api/platform/${queue}`, key: tokens.acme })
  return read.json().data.events.find((event: { id: string }) => event.id === id).audience_member_id
}

describe("an event that comes with a member's token (interface 2.4)", () => {
  test('has the member', async () => {
    expect(await memberOfEvent(ada.token)).toBe(ada.member.id)
    expect(await memberOfEvent(ada.token, 'heartbeat')).toBe(ada.member.id)
  })

  test('has none from the moment on in which the member has signed out', async () => {
    expect(await memberOfEvent(ada.token)).toBe(ada.member.id)
    await platform.request(host, {
      method: 'POST',
      url: '/api/sdk/sign-out',
      headers: { authorization: `Bearer ${ada.token}` },
    })
    expect(await memberOfEvent(ada.token)).toBe(null)
  })

  test.for<[what: string, token: () => unknown]>([
    ['an empty one', () => ''],
    ['no text', () => 1],
    ['null', () => null],
    ['a word', () => 'token'],
    ['one that was cut', () => ada.token.slice(0, -1)],
    ["an API key's", () => tokens.acme],
    [
      "another tenant's",
      async () => (await signInTestMember(members, platform.database, { slug: 'globe' })).token,
    ],
    ['an expired one', () => expired()],
  ])('is stored without a member where the token is %s', async ([, token]) => {
    expect(await memberOfEvent(await token())).toBe(null)
  })

  async function expired() {
    const now = new Date(Date.now() - 31 * 86_400_000)
    return (await signInTestMember(members, platform.database, { now })).token
  }
})
