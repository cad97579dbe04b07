import type { BrowserSession } from '../members/index.ts'
import type { Tenant } from '../tenancy/index.ts'

/** What a client asked for at /oauth/authorize, checked. It is kept unchanged until the member has acted. */
export interface AuthorizationRequest {
  clientId: string
  /** A URI that is registered for the client. */
  redirectUri: string
  /** As it was sent, also when empty; null when it was not sent. */
  state: string | null
  /** S256; null when none was sent. */
  codeChallenge: string | null
  scope: string | null
  nonce: string | null
  /** How long ago the member may have signed in for that to be enough, in seconds; null: any time. */
  maxAgeS: number | null
  /** Languages that the client wants the pages in, best first; as they were sent. */
  uiLocales: string | null
  /** The member that the client expects; null: whoever it is. */
  memberHint: string | null
}

/** What a hosted page needs to know of the browser that asks for it. */
export interface BrowserFacts {
  tenant: Tenant
  cookieHeader: string | undefined
  acceptLanguage: string | undefined
  userAgent: string
  /** The client's address, "" when its socket is gone. */
  address: string
}

/** An answer to a browser, as a route sends it. `set-cookie` can have several values. */
export interface PageAnswer {
  status: number
  headers: Readonly<Record<string, string | string[]>>
  body: string
}

/** The hosted pages, as authorize and logout need them; the room of sign-in has them. */
export interface HostedPages {
  /** Begins a flow for a checked request, and answers the page to show: sign-in, or continue-as where a member is
   *  signed in already and `prompt` is null. */
  begin(
    browser: BrowserFacts,
    request: AuthorizationRequest & {
      /** The client's name, for people. */
      clientName: string
      /** `login` and `select_account` skip continue-as. */
      prompt: 'login' | 'select_account' | null
      /** What to fill into the address field; as it was sent. */
      loginHint: string | null
    },
  ): Promise<PageAnswer>
  /** The page, with status 400, for a request that may not be redirected. `detail` is for the developer, in English. */
  showError(browser: BrowserFacts, detail: string): PageAnswer
  /** The page that asks the member whether to sign out of this browser. Its form posts `fields`, and what `isOwnForm` knows
   *  as `form`, to /oauth/logout/confirm. */
  askToSignOut(
    browser: BrowserFacts,
    question: {
      session: BrowserSession
      /** The client that asks, for people; null where it is not known. */
      clientName: string | null
      fields: readonly (readonly [name: string, value: string])[]
    },
  ): PageAnswer
  /** Whether a form was on a page that this session was shown. */
  isOwnForm(browser: BrowserFacts, session: BrowserSession, token: string | null): boolean
  /** The page, with status 403, for a form that was not. */
  showForeign(browser: BrowserFacts): PageAnswer
  /** The page, with status 503 and Retry-After, for a moment in which nothing can be looked up. */
  showUnavailable(browser: BrowserFacts): PageAnswer
}
