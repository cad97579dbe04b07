import type { BrowserFacts, PageAnswer } from '../oauth/index.ts'
import { frameFor, pageAnswer } from './answers.ts'
import { type Flow, flowPaths } from './flow.ts'
import { signInPage } from './pages/sign-in-page.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** The page on which the flow asks for the address, and offers the other ways. `fault` is what went wrong, in the
 *  visitor's language; with `invalid` it is the address. */
export async function showSignIn(
  parts: SignInParts,
  browser: BrowserFacts,
  flow: Flow,
  {
    email = '',
    fault,
    status = fault ? 422 : 200,
  }: { email?: string; fault?: 'invalid' | { text: string }; status?: number } = {},
): Promise<PageAnswer> {
  const { tenant } = browser
  const client = flow.request && (await parts.oauth.findClient(tenant.id, flow.request.clientId))
  const page = signInPage(frameFor(browser), {
    ...flowPaths(flow.id),
    clientName: client?.name ?? null,
    methods: tenant.signIn.loginMethods,
    providers: await parts.social.listOffered(tenant.id),
    email,
    ...(fault && { fault }),
  })
  return pageAnswer(page, { status })
}
