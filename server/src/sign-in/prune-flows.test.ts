import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { createTestTenant } from '../testing/tenant.ts'
import { pruneFlows } from './prune-flows.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('flows and mails go a day after their end, a flow not before its mails', async () => {
  const { db } = database
  const tenantId = await createTestTenant(db)
  const now = new Date('2026-05-03T12:00:00Z')
  const flow = (number: number, endedHoursAgo: number) =>
    sql`insert into sign_in_flows
    (tenant_id, id, browser_hash, created_at, expires_at) values (${tenantId},
    ${`00000000-0000-0000-0000-00000000000${number}`}, decode(repeat('00', 32), 'hex'),
    ${now}::timestamptz - interval '3 days', ${now}::timestamptz - ${`${endedHoursAgo} hours`}::interval)`.execute(
      db,
    )
  const mail = (number: number, madeHoursAgo: number) =>
    sql`insert into sign_in_mails
    (tenant_id, id, flow_id, email, sealed_code, created_at, expires_at) values (${tenantId}, gen_random_uuid(),
    ${`00000000-0000-0000-0000-00000000000${number}`}, 'a@example.com', '',
    ${now}::timestamptz - ${`${madeHoursAgo} hours`}::interval, ${now})`.execute(db)
  await flow(1, 25)
  await mail(1, 25)
  await flow(2, 25)
  await mail(2, 23)
  await flow(3, 23)
  await flow(4, 25)
  await pruneFlows(db, now, new AbortController().signal)
  const { rows } = await sql<{ left: string }>`select right(f.id::text, 1) || ' ' || count(m.id) as left
    from sign_in_flows f left join sign_in_mails m on m.flow_id = f.id group by f.id order by 1`.execute(db)
  expect(rows.map(({ left }) => left)).toEqual(['2 1', '3 0'])
})

test('attempts to sign in by a provider go a day after their end', async () => {
  const { db } = database
  const tenantId = await createTestTenant(db)
  const now = new Date('2026-05-03T12:00:00Z')
  for (const endedHoursAgo of [23, 25])
    await sql`insert into social_attempts
      (tenant_id, state_hash, browser_hash, provider_id, flow_id, sealed_checks, created_at, expires_at)
      values (${tenantId}, decode(lpad(${`${endedHoursAgo}`}, 64, '0'), 'hex'), decode(repeat('00', 32), 'hex'),
      ${`ended-${endedHoursAgo}`}, gen_random_uuid(), '', ${now},
      ${now}::timestamptz - ${`${endedHoursAgo} hours`}::interval)`.execute(db)
  await pruneFlows(db, now, new AbortController().signal)
  const { rows } = await sql<{ provider_id: string }>`select provider_id from social_attempts`.execute(db)
  expect(rows).toEqual([{ provider_id: 'ended-23' }])
})
