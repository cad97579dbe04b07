import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSecrets } from '../../foundation/secrets/index.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { createTestTenant } from '../../testing/tenant.ts'
import { canOpenSigningKeys } from './can-open-signing-keys.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('a secret key fits as long as it opens the signing key that was made last, whichever tenant’s', async () => {
  const { db } = database
  const tenants = [await createTestTenant(db), await createTestTenant(db)]
  const opens = () =>
    Promise.all([[older], [newer], [newer, older]].map(keys => canOpenSigningKeys(db, openSecrets(keys))))
  const makeKey = (at: number, secretKeys: Buffer[]) =>
    rotateSigningKeys({
      db,
      secrets: openSecrets(secretKeys),
      tenantId: tenants[at] ?? '',
      now: new Date(Date.parse('2026-05-01T00:00:00Z') + at * 86_400_000),
      actor: { kind: 'system', name: 'test' },
    })
  expect(await opens()).toEqual([true, true, true])
  await makeKey(0, [older])
  expect(await opens()).toEqual([true, false, true])
  await makeKey(1, [newer, older])
  expect(await opens()).toEqual([false, true, true])
})
