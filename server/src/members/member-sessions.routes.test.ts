import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { openTestMembers, signInTestMember, type TestSignIn } from '../testing/members.ts'
import { createWholePlatform, platformHost, tokens, type WholePlatform } from '../testing/whole-platform.ts'
import type { Members } from './index.ts'

const host = 'members.acme.example'
const path = '/api/v1/member-sessions'
const viewerKey = 'test-key-of-a-viewer-of-acme-of-32-characters'
let platform: WholePlatform
let members: Members
let ada: TestSignIn
beforeAll(async () => {
  platform = await createWholePlatform()
  await platform.apply(`
tenants:
  - slug: acme
    name: Acme Daily
    domain: ${host}
    staff: [{ email: viewer@acme.example, role: viewer }]
    keys: [{ name: viewer, user: viewer@acme.example, token: ${viewerKey} }]
`)
})
afterAll(() => platform.close())
beforeEach(async () => {
  members = openTestMembers(platform.database)
  ada = await signInTestMember(members, platform.database, { email: `ada.${uuidv7()}@example.com` })
})
afterEach(() => members.close())

async function send(method: 'GET' | 'DELETE', url: string, key: string, at = platformHost) {
  const answer = await platform.request(at, { method, url, key })
  return { status: answer.statusCode, headers: answer.headers, body: answer.body && answer.json() }
}
const list = (query: string, key = tokens.acme) => send('GET', `${path}?${query}`, key)
const isSignedIn = async () =>
  (
    await platform.request(host, {
      url: '/api/sdk/member',
      headers: { authorization: `Bearer ${ada.token}` },
    })
  ).statusCode === 200

describe(`GET ${path}`, () => {
  test("lists a member's live sessions by id and by mail address, in any case", async () => {
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
    for (const query of [
      `filter[member]=${ada.member.id}`,
      `filter[member]=${ada.member.id.toUpperCase()}`,
      `filter%5Bemail%5D=${encodeURIComponent(ada.member.email.toUpperCase())}`,
    ])
      for (const key of [tokens.acme, viewerKey]) {
        const { status, headers, body } = await list(query, key)
        expect([status, headers['content-type'], headers['cache-control']]).toEqual([
          200,
          'application/vnd.api+json',
          'no-store',
        ])
        expect(body).toEqual({
          data: [
            {
              id: ada.sessionId,
              type: 'member-sessions',
              attributes: {
                member_id: ada.member.id,
                kind: 'device',
                client: null,
                device: 'Unknown device',
                address: '192.0.2.1',
                created_at: timestamp,
                last_seen_at: timestamp,
                last_seen_address: '192.0.2.1',
                expires_at: timestamp,
              },
            },
          ],
        })
      }
  })

  test("lists nothing for a stranger, nor for another tenant's member", async () => {
    const bob = await signInTestMember(members, platform.database, {
      slug: 'globe',
      email: `bob.${uuidv7()}@example.com`,
    })
    for (const query of [
      `filter[member]=${uuidv7()}`,
      'filter[email]=nobody@example.com',
      `filter[member]=${bob.member.id}`,
      `filter[email]=${bob.member.email}`,
    ])
      expect((await list(query)).body).toEqual({ data: [] })
    expect((await list(`filter[member]=${bob.member.id}`, tokens.globe)).body.data).toHaveLength(1)
  })

  test.for([
    ['', 'filter[member]'],
    ['filter[member]=x', 'filter[member]'],
    ['filter[email]=', 'filter[email]'],
    ['filter[email]=a', 'filter[email]'],
    ['filter[email]=a%00b@c.example', 'filter[email]'],
    ['filter[email]=a@b.example&filter[email]=c@d.example', 'filter[member]'],
    [`filter[email]=a@b.example&filter[member]=${uuidv7()}`, 'filter[member]'],
    [`filter[member]=${uuidv7()}&sort=id`, 'sort'],
    [`filter[member]=${uuidv7()}&page[size]=1`, 'page[size]'],
  ] as const)('is 400 to the query %j', async ([query, parameter]) => {
    const { status, headers, body } = await list(query)
    expect([status, headers['content-type']]).toEqual([400, 'application/json'])
    expect(body).toEqual({ message: expect.any(String), errors: { [parameter]: [body.message] } })
  })
})

describe(`DELETE ${path}/{session_id}`, () => {
  test('signs the member out there at once, and the audit trail says who did it', async () => {
    expect(await isSignedIn()).toBe(true)
    expect((await send('DELETE', `${path}/${ada.sessionId.toUpperCase()}`, tokens.acme)).status).toBe(204)
    expect(await isSignedIn()).toBe(false)
    expect((await list(`filter[member]=${ada.member.id}`)).body).toEqual({ data: [] })
    const { rows } = await platform.database.pool.query(
      `select actor_kind, actor_name, target, details, host(address) as address from audit_entries
       where tenant_id = $1 and action = 'member_session.ended' and target = $2`,
      [ada.tenant.id, ada.sessionId],
    )
    expect(rows).toEqual([
      {
        actor_kind: 'key',
        actor_name: 'consumer',
        target: ada.sessionId,
        details: { member_id: ada.member.id },
        address: '127.0.0.1',
      },
    ])
    expect((await send('DELETE', `${path}/${ada.sessionId}`, tokens.acme)).status).toBe(404)
  })

  test('is for administrators of the tenant, with a key that may write', async () => {
    for (const key of [viewerKey, tokens.acmeReader])
      expect((await send('DELETE', `${path}/${ada.sessionId}`, key)).status).toBe(403)
    // Another tenant's administrator finds no such session.
    expect((await send('DELETE', `${path}/${ada.sessionId}`, tokens.globe)).status).toBe(404)
    expect((await send('DELETE', `${path}/${ada.sessionId}`, ada.token)).status).toBe(401)
    expect(await isSignedIn()).toBe(true)
  })

  test('is 404 to an unknown session and 422 to what is no UUID', async () => {
    expect((await send('DELETE', `${path}/${uuidv7()}`, tokens.acme)).status).toBe(404)
    expect((await send('DELETE', `${path}/x`, tokens.acme)).status).toBe(422)
  })
})
