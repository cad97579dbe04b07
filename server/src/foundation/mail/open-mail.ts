import type { Mailer } from './mail.ts'
import { createMailbox, type Mailbox } from './mailbox.ts'
import { openSmtpMailer } from './smtp-mailer.ts'

/** Where mails go: to the server of an SMTP URL, or without one into a mailbox of this process. */
export function openMail(smtpUrl: string | undefined): { mailer: Mailer; mailbox: Mailbox | undefined } {
  if (smtpUrl !== undefined) return { mailer: openSmtpMailer(smtpUrl), mailbox: undefined }
  const mailbox = createMailbox()
  return { mailer: mailbox, mailbox }
}
