import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobsCommand } from '../../jobs/index.ts'
import { declarePartner, type LogoutPartner, startLogoutPartner } from '../../testing/logout-partner.ts'
import { hostOf } from '../../testing/oauth-platform.ts'
import { createSignInPlatform, type SignInPlatform } from '../../testing/sign-in-platform.ts'
import { platformHost, tokens } from '../../testing/whole-platform.ts'

let platform: SignInPlatform
let partner: LogoutPartner
beforeAll(async () => {
  platform = await createSignInPlatform()
  partner = await startLogoutPartner()
  await declarePartner(platform, { backchannel_logout_uri: partner.address })
})
afterAll(async () => {
  await platform.close()
  partner.close()
})

const health = async () =>
  (await platform.request(platformHost, { url: '/api/v1/landlord/health', key: tokens.operator })).json()
/** The time until the next try is over. */
const passWait = () =>
  platform.database.pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
async function command(...args: string[]): Promise<string[]> {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  await jobsCommand(args, { db: platform.database.db, print, complain: print })
  return lines
}

test('a logout token that its client never takes is tried nine times, shows as a failed job, and can be sent again', async () => {
  partner.answersElse = 500
  const member = await platform.signIn()
  const code = await platform.issue({ member, scope: 'openid' })
  expect((await platform.exchange(code)).statusCode).toBe(200)
  const headers = { authorization: `Bearer ${member.token}` }
  await platform.request(hostOf(), { method: 'POST', url: '/api/sdk/sign-out', headers })

  await expect.poll(() => partner.told.length).toBe(1)
  // It waits for its next try, and has not failed yet.
  await expect.poll(health).toMatchObject({ queues: { high: { pending: 1 } }, failed_jobs: 0 })
  const failed = async () => {
    await passWait()
    return (await health()).failed_jobs
  }
  await expect.poll(failed, { timeout: 50_000, interval: 100 }).toBe(1)
  expect(partner.told).toHaveLength(9)
  expect(await health()).toMatchObject({ status: 'ok', queues: { high: { pending: 0 } } })
  expect(await platform.registry.metrics()).toMatch(/^usher_jobs_failed 1$/m)
  expect(await command('failed')).toEqual([
    expect.stringMatching(
      / {2}high {2}send-logout-token, tried 9 times: The client partner answered 500 to a logout token\. See its backchannel_logout_uri\.$/,
    ),
  ])

  partner.answersElse = 200
  await command('retry', 'all')
  await expect.poll(() => partner.told.length).toBe(10)
  await expect.poll(health).toMatchObject({ queues: { high: { pending: 0 } }, failed_jobs: 0 })
  expect(partner.told.map(({ sub }) => sub)).toEqual(Array(10).fill(member.memberId))
}, 90_000)
