import { uuidv7 } from '../foundation/uuid.ts'
import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { frameFor, redirectAnswer } from './answers.ts'
import { parseEmailAddress } from './email-address.ts'
import { type Flow, flowPaths } from './flow.ts'
import { makeCode, sealCode } from './mail-secrets.ts'
import { countMails, insertMail, lockAddress } from './mails.store.ts'
import { showTooManyMails } from './problems.ts'
import { SIGN_IN_MAIL_JOB } from './send-sign-in-mail.ts'
import { showSignIn } from './show-sign-in.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** How long link and code are good. */
const MAIL_LIFETIME_MS = 600_000
/** At most this many mails to an address in this time. */
const MAX_MAILS = 5
const MAILS_WINDOW_MS = 900_000

/** Has a mail with a link and a code sent to the address that was typed. What is answered and what is done is the same
 *  whether the address is a member's or not: only the job, later, looks whether somebody may be let in. */
export async function requestMail(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  typed: string,
): Promise<PageAnswer> {
  // A tenant whose members sign in by providers alone sends no mail.
  if (browser.tenant.signIn.loginMethods.length === 0) return showSignIn(parts, browser, flow)
  const email = parseEmailAddress(typed)
  if (email === undefined)
    return showSignIn(parts, browser, flow, { email: typed.slice(0, 254), fault: 'invalid' })
  const { tenant } = browser
  const frame = frameFor(browser)
  const now = new Date(parts.nowMs())
  const sent = await parts.db.transaction().execute(async trx => {
    await lockAddress(trx, tenant.id, email)
    const since = new Date(now.getTime() - MAILS_WINDOW_MS)
    if ((await countMails(trx, tenant.id, { email, since })) >= MAX_MAILS) return false
    const mailId = uuidv7()
    await insertMail(trx, tenant.id, {
      id: mailId,
      flowId: flow.id,
      email,
      sealedCode: sealCode(parts.secrets, mailId, makeCode()),
      createdAt: now,
      expiresAt: new Date(now.getTime() + MAIL_LIFETIME_MS),
    })
    await parts.sendJob(trx, SIGN_IN_MAIL_JOB, {
      tenant_id: tenant.id,
      mail_id: mailId,
      language: frame.language,
    })
    return true
  })
  return sent ? redirectAnswer(flowPaths(flow.id).mail) : showTooManyMails(browser, flow)
}
