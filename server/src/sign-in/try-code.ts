import { timingSafeEqual } from 'node:crypto'
import type { DatabaseTransaction } from '../foundation/database/index.ts'
import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { frameFor, pageAnswer, redirectAnswer } from './answers.ts'
import { signIn } from './complete-flow.ts'
import { type Flow, flowPaths } from './flow.ts'
import { openCode } from './mail-secrets.ts'
import {
  addWrongCode,
  consumeMail,
  countWrongCodes,
  findNewestMail,
  lockAddress,
  type SignInMail,
} from './mails.store.ts'
import { type CodeFault, mailSentPage } from './pages/mail-sent-page.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** Wrong codes that end the code of a mail, and all codes of an address. */
const MAX_WRONG_OF_MAIL = 5
const MAX_WRONG_OF_ADDRESS = 25
/** The codes of a mail are typed in the ten minutes after it was made, so no hour sees more than the mails of this
 *  time. */
const ADDRESS_WINDOW_MS = 70 * 60_000

/** "Check your mail", for the mail that was asked for last; the sign-in page when none was. */
export async function showMailSent(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  fault?: CodeFault,
): Promise<PageAnswer> {
  const { tenant } = browser
  const mail = await findNewestMail(parts.db, tenant.id, flow.id)
  const paths = flowPaths(flow.id)
  if (!mail) return redirectAnswer(paths.start)
  const page = mailSentPage(frameFor(browser), {
    email: mail.email,
    methods: tenant.signIn.loginMethods,
    codeAction: paths.code,
    againAction: paths.start,
    backHref: paths.start,
    ...(fault && { fault }),
  })
  return pageAnswer(page, { status: fault ? 422 : 200 })
}

/** What keeps the code of a mail from being tried. */
async function findEnd(
  trx: DatabaseTransaction,
  tenantId: string,
  mail: SignInMail,
  now: Date,
): Promise<CodeFault | undefined> {
  if (mail.usedAt || mail.expiresAt <= now) return 'noCode'
  if (mail.wrongCodes >= MAX_WRONG_OF_MAIL) return 'ended'
  // Whoever opened the link reads this mailbox: strangers' wrong codes do not keep them out.
  if (mail.shownAt) return undefined
  const since = new Date(now.getTime() - ADDRESS_WINDOW_MS)
  const wrong = await countWrongCodes(trx, tenantId, { email: mail.email, since })
  return wrong >= MAX_WRONG_OF_ADDRESS ? 'endedForNow' : undefined
}

function isCode(parts: SignInParts, mail: SignInMail, digits: string): boolean {
  return timingSafeEqual(Buffer.from(openCode(parts.secrets, mail.id, mail.sealedCode)), Buffer.from(digits))
}

/** Compares what was typed with the code of the flow's newest mail, and uses it up when it is right. Codes of one
 *  address are tried one after another, so that no two tries count as one. */
async function useCode(
  trx: DatabaseTransaction,
  parts: SignInParts,
  { tenantId, flow, digits, now }: { tenantId: string; flow: Flow; digits: string; now: Date },
): Promise<{ email: string } | { fault: CodeFault }> {
  const named = await findNewestMail(trx, tenantId, flow.id)
  if (!named) return { fault: 'noCode' }
  await lockAddress(trx, tenantId, named.email)
  const mail = await findNewestMail(trx, tenantId, flow.id)
  if (!mail || mail.email !== named.email) return { fault: 'noCode' }
  const end = await findEnd(trx, tenantId, mail, now)
  if (end) return { fault: end }
  if (isCode(parts, mail, digits))
    return (await consumeMail(trx, tenantId, mail.id, now)) ? { email: mail.email } : { fault: 'noCode' }
  await addWrongCode(trx, tenantId, mail.id)
  return { fault: mail.wrongCodes + 1 >= MAX_WRONG_OF_MAIL ? 'ended' : 'wrong' }
}

/** Signs in with a code that was typed, as it stands in the mail or with spaces and hyphens; else says what is wrong.
 *  `onWrong` is told of each wrong one. */
export async function tryCode(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  typed: string,
  onWrong: () => Promise<void>,
): Promise<PageAnswer> {
  const digits = typed.replaceAll(/[\s-]/g, '')
  if (!/^[0-9]{6}$/.test(digits)) return showMailSent(parts, browser, flow, 'malformed')
  let fault: CodeFault | undefined
  const answer = await signIn(parts, browser, flow, async (trx, now) => {
    const used = await useCode(trx, parts, { tenantId: browser.tenant.id, flow, digits, now })
    if ('email' in used) return used
    fault = used.fault
    // The count of wrong codes has to be committed; the page is made afterwards.
    return { answer: redirectAnswer(flowPaths(flow.id).mail) }
  })
  if (fault === undefined) return answer
  if (fault === 'wrong' || fault === 'ended') await onWrong()
  return showMailSent(parts, browser, flow, fault)
}
