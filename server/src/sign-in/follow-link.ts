import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { frameFor, pageAnswer } from './answers.ts'
import { signIn } from './complete-flow.ts'
import { isLive, isOfBrowser } from './find-flow.ts'
import type { Flow } from './flow.ts'
import { inLanguageOf } from './flow-language.ts'
import { findFlow } from './flows.store.ts'
import { openCode, readLinkToken } from './mail-secrets.ts'
import { consumeMail, findMail, markShown, type SignInMail } from './mails.store.ts'
import { confirmLinkPage, deadLinkPage, linkCodePage, linkElsewherePage } from './pages/link-pages.ts'
import type { SignInParts } from './sign-in-parts.ts'

const linkPath = (token: string): string => `/sign-in/link/${token}`

/** The mail and the flow of a link that is still good. */
async function findLive(
  parts: SignInParts,
  browser: BrowserFacts,
  token: string,
): Promise<{ mail: SignInMail; flow: Flow } | undefined> {
  const { id: tenantId } = browser.tenant
  const mailId = readLinkToken(parts.secrets, tenantId, token)
  const mail = mailId === undefined ? undefined : await findMail(parts.db, tenantId, mailId)
  const flow = mail && (await findFlow(parts.db, tenantId, mail.flowId))
  const nowMs = parts.nowMs()
  const isGood = mail && flow && !mail.usedAt && mail.expiresAt.getTime() > nowMs && isLive(flow, nowMs)
  return isGood ? { mail, flow } : undefined
}

const showDead = (browser: BrowserFacts): PageAnswer =>
  pageAnswer(deadLinkPage(frameFor(browser)), { status: 410 })

/** What opening a link shows: a button. It changes nothing, as programs that look into mail open links too. */
export async function showLink(parts: SignInParts, asked: BrowserFacts, token: string): Promise<PageAnswer> {
  const live = await findLive(parts, asked, token)
  if (!live) return showDead(asked)
  const browser = inLanguageOf(live.flow, asked)
  const frame = frameFor(browser)
  const action = linkPath(token)
  if (!isOfBrowser(live.flow, parts, browser)) return pageAnswer(linkElsewherePage(frame, { action }))
  const { request } = live.flow
  const client = request && (await parts.oauth.findClient(browser.tenant.id, request.clientId))
  return pageAnswer(
    confirmLinkPage(frame, { action, email: live.mail.email, clientName: client?.name ?? null }),
  )
}

/** What the button does: in the browser that asked, the link is used up and the flow goes on. Any other is shown the
 *  code, so that a link that was stolen signs nobody in, and one that was foisted on somebody neither. */
export async function useLink(parts: SignInParts, asked: BrowserFacts, token: string): Promise<PageAnswer> {
  const live = await findLive(parts, asked, token)
  if (!live) return showDead(asked)
  const { mail, flow } = live
  const browser = inLanguageOf(flow, asked)
  const { id: tenantId } = browser.tenant
  if (!isOfBrowser(flow, parts, browser)) {
    await markShown(parts.db, tenantId, mail.id, new Date(parts.nowMs()))
    const code = openCode(parts.secrets, mail.id, mail.sealedCode)
    return pageAnswer(linkCodePage(frameFor(browser), { code }))
  }
  return signIn(parts, browser, flow, async (trx, now) =>
    (await consumeMail(trx, tenantId, mail.id, now)) ? { email: mail.email } : { answer: showDead(browser) },
  )
}
