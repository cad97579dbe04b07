import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { actionsOf, openVisitor, wordsOf } from '../testing/visitor.ts'
import { createWholePlatform, platformHost, type WholePlatform } from '../testing/whole-platform.ts'

let platform: WholePlatform
beforeAll(async () => {
  platform = await createWholePlatform({
    USHER_ROLE: 'all',
    USHER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
})
afterAll(() => platform.close())

const list = async () => (await platform.request(platformHost, { url: '/dev/mailbox.json' })).json().data

describe('the mailbox of a platform without a mail server', () => {
  test('holds the mails that were sent, as JSON and as a page', async () => {
    const empty = await platform.request(platformHost, { url: '/dev/mailbox' })
    expect(wordsOf(empty.body)).toContain('No mail yet.')
    const visitor = openVisitor(platform.app, { host: 'members.acme.example' })
    const [flow = ''] = actionsOf((await visitor.get('/account')).body)
    await visitor.post(flow, { email: 'ana@example.com' })
    await expect.poll(async () => (await list()).length).toBe(1)
    const [mail] = await list()
    expect(mail).toMatchObject({
      from: 'Usher <no-reply@platform.localhost>',
      to: 'ana@example.com',
      subject: expect.stringMatching(/^\d{6} is your code for Acme Daily$/),
      received_at: expect.stringMatching(/\+00:00$/),
    })
    const page = await platform.request(platformHost, { url: '/dev/mailbox' })
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
    })
    const code = mail.subject.slice(0, 6)
    const link = mail.text.split('\n').find((line: string) => line.startsWith('http'))
    expect(page.body).toContain(`<a href="${link}">${link}</a>`)
    // In its preview, links open in a tab: the pages refuse to be framed.
    expect(page.body).toContain('<iframe sandbox="allow-popups allow-popups-to-escape-sandbox"')
    expect(page.body).toContain('&#60;head&#62;&#60;base target&#61;&#34;_blank&#34;&#62;')
    expect((await visitor.post(`${flow}/code`, { code })).headers.location).toBe(
      'http://members.acme.example/account',
    )
  })

  test("is on no tenant's domain", async () => {
    for (const url of ['/dev/mailbox', '/dev/mailbox.json'])
      expect((await platform.request('members.acme.example', { url })).statusCode).toBe(404)
  })
})
