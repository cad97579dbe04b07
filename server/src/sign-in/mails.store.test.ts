import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignInPlatform, newAddress, type SignInPlatform } from '../testing/sign-in-platform.ts'
import { consumeMail } from './mails.store.ts'

let platform: SignInPlatform
beforeAll(async () => {
  platform = await createSignInPlatform()
})
afterAll(() => platform.close())

/** The id of a mail that was asked for just now. */
async function askedForMail(): Promise<string> {
  const email = newAddress()
  const visitor = platform.visit()
  await visitor.post(await platform.begin(visitor), { email })
  const { rows } = await sql<{ id: string }>`select id from sign_in_mails where email = ${email}`.execute(
    platform.database.db,
  )
  return rows[0]?.id ?? ''
}

// The flow of a mail is used once, too; this is what holds if that is ever relaxed.
describe('consumeMail', () => {
  test('of many uses at once, one wins', async () => {
    const id = await askedForMail()
    const { db } = platform.database
    const uses = Array.from({ length: 8 }, () => consumeMail(db, platform.tenants.acme.id, id, new Date()))
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1)
  })

  test("refuses another tenant's mail, and one that has expired", async () => {
    const id = await askedForMail()
    const { db } = platform.database
    const { acme, globe } = platform.tenants
    expect(await consumeMail(db, globe.id, id, new Date())).toBe(false)
    expect(await consumeMail(db, acme.id, id, new Date(Date.now() + 600_000))).toBe(false)
    expect(await consumeMail(db, acme.id, id, new Date())).toBe(true)
  })
})
