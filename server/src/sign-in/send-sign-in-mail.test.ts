import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { captureLog } from '../testing/contract/log-lines.ts'
import { startMailServer } from '../testing/mail-server.ts'
import {
  createSignInPlatform,
  newAddress,
  readLetter,
  type SignInPlatform,
} from '../testing/sign-in-platform.ts'

let platform: SignInPlatform | undefined
afterEach(() => platform?.close())

interface KeptJob {
  state: string
  retry_count: number
  output: { message?: string } | null
  data: unknown
}

async function jobs({ database }: SignInPlatform): Promise<KeptJob[]> {
  const { rows } = await sql<KeptJob>`select state::text, retry_count, output, data from pgboss.job
    where data->>'name' = 'send-sign-in-mail' order by created_on`.execute(database.db)
  return rows
}

describe('a mail server that is away (threats, "Faults")', () => {
  test('is tried again until it is back, and nothing secret is written down', async () => {
    const capture = captureLog()
    platform = await createSignInPlatform({}, { log: capture.log })
    const { mailServer } = platform
    await mailServer.close()
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    const email = newAddress()
    expect((await visitor.post(flow, { email })).statusCode).toBe(303)
    await expect.poll(async () => (await jobs(platform as SignInPlatform))[0]?.state).toBe('retry')
    const [job] = await jobs(platform)
    expect(job?.output?.message).toMatch(/mail server did not take a mail over/)
    // The payload names the mail; link, code and address are not in it, nor in what failed.
    expect(JSON.stringify(job)).not.toMatch(/@|[A-Za-z0-9_-]{43}/)

    const back = await startMailServer({ port: mailServer.port })
    try {
      await expect.poll(() => back.mails.length).toBe(1)
      const { code } = readLetter(back.mails[0] as (typeof back.mails)[0])
      expect((await visitor.post(`${flow}/code`, { code })).statusCode).toBe(303)
      expect(capture.lines.some(line => line.includes('job failed'))).toBe(true)
      expect(capture.linesWithSecrets([email, code])).toEqual([])
    } finally {
      await back.close()
    }
  })

  test('and stays away, shows as a failed job', async () => {
    platform = await createSignInPlatform()
    const { db } = platform.database
    await platform.mailServer.close()
    const visitor = platform.visit()
    await visitor.post(await platform.begin(visitor), { email: newAddress() })
    await expect.poll(async () => (await jobs(platform as SignInPlatform))[0]?.state).toBe('retry')
    // As after hours: the last attempt is due now.
    await sql`update pgboss.job set retry_count = retry_limit - 1, start_after = now()
      where data->>'name' = 'send-sign-in-mail'`.execute(db)
    await expect.poll(async () => (await jobs(platform as SignInPlatform))[0]?.state).toBe('failed')
  })
})

describe('the mail of a sign-in', () => {
  test('is asked for in the transaction of its row: neither without the other', async () => {
    platform = await createSignInPlatform({ USHER_ROLE: 'http' })
    const { db } = platform.database
    const visitor = platform.visit()
    const flow = await platform.begin(visitor)
    await sql`alter table sign_in_mails add constraint none check (false) not valid`.execute(db)
    const answer = await visitor.post(flow, { email: newAddress() })
    expect(answer.statusCode).toBe(500)
    expect(await jobs(platform)).toEqual([])
  })

  test('is not sent when it would come too late', async () => {
    platform = await createSignInPlatform({ USHER_ROLE: 'http' })
    const visitor = platform.visit()
    await visitor.post(await platform.begin(visitor), { email: newAddress() })
    expect((await jobs(platform)).map(({ state }) => state)).toEqual(['created'])
    await platform.passTime(600)
    const { openMail } = await import('../foundation/mail/index.ts')
    const { openSecrets } = await import('../foundation/secrets/index.ts')
    const { signInJobs } = await import('./sign-in.job.ts')
    const { mailer, mailbox } = openMail(undefined)
    const [send] = signInJobs({
      db: platform.database.db,
      mailer,
      mailFrom: 'a@acme.example',
      members: platform.members,
      secrets: openSecrets([Buffer.alloc(32, 7)]),
      publicUrl: new URL('http://platform.localhost'),
      nowMs: Date.now,
    })
    const [job] = await jobs(platform)
    const { payload } = (job as KeptJob).data as { payload: Record<string, string> }
    const context = { id: '1', attempt: 1, signal: new AbortController().signal }
    await send?.run(payload, context)
    expect(mailbox?.list()).toEqual([])
    await platform.passTime(-600)
    await send?.run(payload, context)
    expect(mailbox?.list()).toHaveLength(1)
  })

  test("comes from the tenant's own sender, and carries what the tenant's methods say", async () => {
    platform = await createSignInPlatform()
    await platform.apply(`tenants:
  - { slug: acme, name: Acme Daily, domain: members.acme.example, login_methods: [one_time_code], mail_from: Acme <hello@acme.example> }
  - { slug: globe, name: The Globe, domain: members.globe.example, login_methods: [magic_link] }`)
    const byCode = platform.visit()
    const acme = await platform.askForMail(byCode, await platform.begin(byCode), newAddress())
    expect(acme.mail.from).toMatchObject({ name: 'Acme', address: 'hello@acme.example' })
    expect([acme.link, acme.code]).toEqual(['', expect.stringMatching(/^\d{6}$/)])

    const byLink = platform.visit({ slug: 'globe' })
    const flow = await platform.begin(byLink)
    const globe = await platform.askForMail(byLink, flow, newAddress())
    expect(globe.mail.from).toMatchObject({ name: 'Usher', address: 'hello@usher.example' })
    expect([globe.link, globe.code]).toEqual([expect.stringMatching(/^\/sign-in\/link\//), ''])
    expect(globe.mail.html).not.toMatch(/>\d{6}</)
    // Opened elsewhere, the link shows a code all the same.
    const shown = await platform.visit({ slug: 'globe' }).post(globe.link)
    const code = />(\d{6})</.exec(shown.body)?.[1] ?? ''
    expect((await byLink.post(`${flow}/code`, { code })).statusCode).toBe(303)
  })
})
