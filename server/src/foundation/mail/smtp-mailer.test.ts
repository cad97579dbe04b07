import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../testing/mail-server.ts'
import type { Mail, Mailer } from './mail.ts'
import { openSmtpMailer } from './smtp-mailer.ts'

const mail: Mail = {
  id: '0199a000-0000-7000-8000-000000000001',
  from: 'Acme Daily <hello@acme.example>',
  to: 'ana@example.com',
  language: 'de',
  subject: 'Bei Acme Daily anmelden · 😀',
  text: `Grüße\n${'x'.repeat(200)}\n`,
  html: '<p>Grüße</p>',
}

let ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.reverse()) await end()
  ending = []
})

async function start(
  options?: Parameters<typeof startMailServer>[0],
): Promise<{ server: MailServer; mailer: Mailer }> {
  const server = await startMailServer(options)
  const mailer = openSmtpMailer(server.url)
  ending.push(
    () => server.close(),
    () => mailer.close(),
  )
  return { server, mailer }
}

describe('a mail over SMTP', () => {
  test('arrives as it was given', async () => {
    const { server, mailer } = await start()
    await mailer.send(mail)
    const [received] = server.mails
    expect(received).toMatchObject({
      envelope: { from: 'hello@acme.example', to: ['ana@example.com'] },
      subject: mail.subject,
      from: { name: 'Acme Daily', address: 'hello@acme.example' },
      to: [{ name: '', address: 'ana@example.com' }],
      messageId: `<${mail.id}@acme.example>`,
    })
    expect(received?.text?.trimEnd()).toBe(mail.text.trimEnd())
    expect(received?.html?.trimEnd()).toBe(mail.html)
    expect(received?.header('content-language')).toBe('de')
    expect(received?.header('auto-submitted')).toBe('auto-generated')
  })

  test('goes to one address, whatever marks are in it', async () => {
    const { server, mailer } = await start()
    await mailer.send({ ...mail, to: "o'hara+news!#$%&*/=?^_`{|}~-@example.com" })
    expect(server.mails[0]?.envelope.to).toEqual(["o'hara+news!#$%&*/=?^_`{|}~-@example.com"])
  })

  test('that the server refuses is an error without the address', async () => {
    const { mailer } = await start({ refuse: () => 'no such user: ana@example.com' })
    const error = await mailer.send(mail).catch((fault: unknown) => fault)
    expect(error).toBeInstanceOf(Error)
    expect(String((error as Error).stack)).toMatch(/did not take a mail over \(EENVELOPE 550/)
    expect(String((error as Error).stack)).not.toMatch(/ana@/)
    expect((error as Error).cause).toBeUndefined()
  })

  test('to a server that is away is an error', async () => {
    const free = createServer()
    await new Promise<void>(resolve => free.listen(0, '127.0.0.1', resolve))
    const { port } = free.address() as AddressInfo
    await new Promise(resolve => free.close(resolve))
    const mailer = openSmtpMailer(`smtp://127.0.0.1:${port}`)
    ending.push(() => mailer.close())
    await expect(mailer.send(mail)).rejects.toThrow(/did not take a mail over \(ESOCKET CONN|ECONNREFUSED/)
  })
})
