import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../foundation/uuid.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { applyTestPlatform } from '../testing/platform.ts'
import { listAuditEntries } from './audit.store.ts'
import { recordAudit } from './record-audit.ts'
import { findTenantBySlug } from './tenants.store.ts'

let database: TestDatabase
let tenantId: string
let otherId: string
const at = new Date('2026-05-01T12:00:00.123Z')

beforeAll(async () => {
  database = await createTestDatabase()
  await applyTestPlatform(
    database,
    'tenants: [{ slug: a, name: A, domain: a.example }, { slug: b, name: B, domain: b.example }]',
  )
  tenantId = (await findTenantBySlug(database.db, 'a'))?.id ?? ''
  otherId = (await findTenantBySlug(database.db, 'b'))?.id ?? ''
})
afterAll(() => database.drop())

describe('the audit trail', () => {
  test('tells who did what to what, from where and when', async () => {
    const actor = { kind: 'key', id: uuidv7(), name: 'consumer' } as const
    await database.db.transaction().execute(trx =>
      recordAudit(trx, {
        tenantId,
        actor,
        action: 'queue.rewound',
        target: 'events',
        details: { from: 10, to: [1, 2], note: "it's" },
        address: '2001:db8::1',
        at,
      }),
    )
    const [entry] = await listAuditEntries(database.db, tenantId, 1)
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at,
      actor,
      action: 'queue.rewound',
      target: 'events',
      details: { from: 10, to: [1, 2], note: "it's" },
      address: '2001:db8::1',
    })
  })

  test('is one of each tenant, and one of the platform, newest first', async () => {
    const actor = { kind: 'system', name: 'test' } as const
    for (const target of ['first', 'second'])
      for (const owner of [otherId, null])
        await recordAudit(database.db, { tenantId: owner, actor, action: 'test.done', target, at })
    const targets = async (owner: string | null) =>
      (await listAuditEntries(database.db, owner, 2)).map(entry => entry.target)
    expect(await targets(otherId)).toEqual(['second', 'first'])
    expect(await targets(null)).toEqual(['second', 'first'])
    expect(await targets(tenantId)).not.toContain('second')
    expect((await listAuditEntries(database.db, null, 1))[0]).toMatchObject({ actor, address: null })
  })

  test('goes with its transaction', async () => {
    const before = await listAuditEntries(database.db, tenantId, 100)
    const failing = database.db.transaction().execute(async trx => {
      const actor = { kind: 'system', name: 'test' } as const
      await recordAudit(trx, { tenantId, actor, action: 'test.done', target: 'x', at })
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await listAuditEntries(database.db, tenantId, 100)).toEqual(before)
  })

  test.for(['audit_entries', 'platform_audit_entries'])('in %s refuses any change', async table => {
    const refused = { code: '23001', message: expect.stringMatching(/append-only/) }
    for (const statement of [
      `update ${table} set action = 'something else'`,
      `update ${table} set action = 'something else' where false`,
      `delete from ${table}`,
      `truncate ${table}`,
      `truncate ${table} cascade`,
    ])
      await expect(database.pool.query(statement), statement).rejects.toMatchObject(refused)
    if (table === 'audit_entries')
      await expect(database.pool.query('truncate tenants cascade')).rejects.toMatchObject(refused)
  })
})
