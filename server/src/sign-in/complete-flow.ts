import type { DatabaseTransaction } from '../foundation/database/index.ts'
import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { tenantOrigin } from '../tenancy/index.ts'
import { redirectAnswer } from './answers.ts'
import type { Flow } from './flow.ts'
import { finishFlow } from './flows.store.ts'
import { showClientError, showExpired, showProblem } from './problems.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** Why a sign-in does not come to its end although the member did everything right. Thrown, so that the transaction
 *  leaves nothing behind. */
class Refusal extends Error {
  readonly reason: 'finished' | 'closed' | 'client'
  constructor(reason: Refusal['reason']) {
    super(reason)
    this.name = 'Refusal'
    this.reason = reason
  }
}

const CLIENT_GONE =
  'The client was disabled, or its redirect_uri was removed, while the member signed in. See the OAuth clients of the tenant.'

/** Where the browser goes on, with a code where a client asked. */
async function nextAddress(
  trx: DatabaseTransaction,
  { oauth, publicUrl }: SignInParts,
  {
    tenant,
    flow,
    memberId,
    sessionId,
    now,
  }: { tenant: BrowserFacts['tenant']; flow: Flow; memberId: string; sessionId: string; now: Date },
): Promise<string> {
  if (!(await finishFlow(trx, tenant.id, flow.id, now))) throw new Refusal('finished')
  if (!flow.request) return `${tenantOrigin(publicUrl, tenant.domain)}/account`
  const address = await oauth.issueCode(trx, {
    ...flow.request,
    tenant,
    memberId,
    sessionId,
    origin: 'interactive',
    now,
  })
  if (address === undefined) throw new Refusal('client')
  return address
}

async function refusable(
  browser: BrowserFacts,
  flow: Flow,
  complete: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  try {
    return await complete()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.reason === 'closed') return showProblem(browser, 'closed')
    return error.reason === 'client' ? showClientError(browser, CLIENT_GONE) : showExpired(browser, flow)
  }
}

/** What somebody has shown: that a mail address is theirs; which member they are, undefined being one that may not be
 *  made; or nothing, and what is answered to that. */
export type Proof = { email: string } | { memberId: string | undefined } | { answer: PageAnswer }

/** Signs a member in, in the transaction in which `prove` showed who it is, and sends the browser on. Always a new session.
 *  What `prove` answers, if anything, is answered in place of it, and stays. */
export async function signIn(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  prove: (trx: DatabaseTransaction, now: Date) => Promise<Proof>,
): Promise<PageAnswer> {
  const { members } = parts
  const { tenant, userAgent, address } = browser
  const now = new Date(parts.nowMs())
  const before = await members.findBrowserSession(browser)
  return refusable(browser, flow, async () => {
    const done = await parts.db.transaction().execute(async trx => {
      const proof = await prove(trx, now)
      if ('answer' in proof) return proof
      const memberId =
        'email' in proof
          ? (await members.findOrCreateMember(trx, tenant, proof.email, now))?.id
          : proof.memberId
      if (memberId === undefined) throw new Refusal('closed')
      const session = await members.startDeviceSession(trx, {
        tenant,
        memberId,
        userAgent,
        address,
        now,
      })
      const location = await nextAddress(trx, parts, {
        tenant,
        flow,
        memberId,
        sessionId: session.sessionId,
        now,
      })
      return { location, memberId, token: session.token }
    })
    if ('answer' in done) return done.answer
    // Whoever was signed in here before is so no more: the cookie is another's now.
    if (before && before.member.id !== done.memberId)
      await members.endSession(tenant.id, { memberId: before.member.id, sessionId: before.sessionId, now })
    return redirectAnswer(done.location, members.sessionCookies(tenant, done.token))
  })
}

/** Sends the browser on as the member who is signed in there already. */
export async function goOn(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  session: { memberId: string; sessionId: string },
): Promise<PageAnswer> {
  const now = new Date(parts.nowMs())
  return refusable(browser, flow, async () => {
    const location = await parts.db
      .transaction()
      .execute(trx => nextAddress(trx, parts, { tenant: browser.tenant, flow, ...session, now }))
    await parts.members.noteSeen(browser.tenant.id, {
      sessionId: session.sessionId,
      address: browser.address,
      now,
    })
    return redirectAnswer(location)
  })
}
