import type { Mail, Mailer } from './mail.ts'

/** Mails that were sent where there is no mail server, for developers to read. */
export interface Mailbox extends Mailer {
  /** The newest first. */
  list(): readonly ReceivedMail[]
}

export interface ReceivedMail extends Mail {
  receivedAt: Date
}

const MAX_MAILS = 100

/** A mailbox in the memory of this process. */
export function createMailbox(nowMs: () => number = Date.now): Mailbox {
  let mails: ReceivedMail[] = []
  return {
    async send(mail) {
      mails = [{ ...mail, receivedAt: new Date(nowMs()) }, ...mails].slice(0, MAX_MAILS)
    },
    list: () => mails,
    close() {},
  }
}
