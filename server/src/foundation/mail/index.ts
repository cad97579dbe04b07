export type { Mailer } from './mail.ts'
export type { Mailbox, ReceivedMail } from './mailbox.ts'
export { openMail } from './open-mail.ts'
