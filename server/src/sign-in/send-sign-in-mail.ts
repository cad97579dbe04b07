import type { Database } from '../foundation/database/index.ts'
import type { Mailer } from '../foundation/mail/index.ts'
import type { Secrets } from '../foundation/secrets/index.ts'
import type { Members } from '../members/index.ts'
import { findTenantById, type Language, tenantOrigin } from '../tenancy/index.ts'
import { makeLinkToken, openCode } from './mail-secrets.ts'
import { findMail } from './mails.store.ts'
import { signInMail } from './sign-in-mail.ts'

export const SIGN_IN_MAIL_JOB = 'send-sign-in-mail'

export interface MailParts {
  db: Database
  mailer: Mailer
  /** The installation's sender. */
  mailFrom: string
  secrets: Secrets
  /** The platform's address. */
  publicUrl: URL
  members: Pick<Members, 'findOrCreateMember'>
  /** Unix milliseconds. */
  nowMs(): number
}

/** Sends the mail that was asked for, unless it came too late, or nobody new may sign in and the address is no
 *  member's. Sent again, it is the same mail. */
export async function sendSignInMail(
  parts: MailParts,
  { tenantId, mailId, language }: { tenantId: string; mailId: string; language: Language },
): Promise<void> {
  const { db, secrets } = parts
  const tenant = await findTenantById(db, tenantId)
  const mail = await findMail(db, tenantId, mailId)
  if (!tenant || !mail || mail.usedAt || mail.expiresAt.getTime() <= parts.nowMs()) return
  // With sign-up closed this only looks; with sign-up open nobody becomes a member before the mail was answered.
  const isClosed = tenant.signIn.signUp === 'closed'
  const now = new Date(parts.nowMs())
  if (isClosed && !(await parts.members.findOrCreateMember(db, tenant, mail.email, now))) return
  const origin = tenantOrigin(parts.publicUrl, tenant.domain)
  const content = signInMail({
    tenant,
    language,
    methods: tenant.signIn.loginMethods,
    link: `${origin}/sign-in/link/${makeLinkToken(secrets, tenantId, mailId)}`,
    code: openCode(secrets, mailId, mail.sealedCode),
  })
  await parts.mailer.send({
    id: mailId,
    from: tenant.signIn.mailFrom ?? parts.mailFrom,
    to: mail.email,
    language,
    ...content,
  })
}
