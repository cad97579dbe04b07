/** What a page calls to know who is there, and to sign them in and out. No call throws, and no promise is rejected. */
export interface SignIn {
  /** Whether a member is signed in on this browser, asked without a page and without a navigation (interface 4.8). One
   *  request at a time: calls of one client share it, and its code, which is good once. Where nobody is, that holds for a
   *  minute. */
  silentSignIn(options: SilentSignInOptions): Promise<SilentAnswer>
  /** Sends the browser to the tenant's sign-in page, or with `prompt: 'none'` there and back without one. The promise is
   *  kept when the page goes, or when it may not. */
  signIn(options: SignInOptions): Promise<SignInOutcome>
  /** On the redirect URI's page: what the browser was sent back with, once. It takes it out of the address bar. */
  completeSignIn(): Promise<CompletedSignIn>
  /** The member whose token this page sees; null where nobody's is good, undefined where that cannot be known now. */
  member(): Promise<Member | null | undefined>
  /** Ends the member's session on this browser, and forgets its cookie. False where the page sees no token, or the server
   *  did not confirm: the cookie is forgotten all the same. */
  signOut(): Promise<boolean>
}

export interface SilentSignInOptions {
  /** Of the client that this page's origin is registered with. */
  clientId: string
  /** After which the answer is `unknown`; 5,000 unless said otherwise. */
  timeoutMs?: number
}

export type SilentAnswer =
  /** For the publisher's server, which exchanges it within the time. */
  | { status: 'authenticated'; code: string; expiresInS: number; member?: undefined; reason?: undefined }
  /** On the tenant's own domain, where no code is needed. */
  | { status: 'authenticated'; member: Member; code?: undefined; reason?: undefined }
  | { status: 'unauthenticated'; code?: undefined; member?: undefined; reason?: undefined }
  /** `no_client_id`: none was given. `limited`: asked too often, by this browser or address. `failed`: no answer that the page may read, be it that the
   *  network is away or that the client does not list this origin. */
  | {
      status: 'unknown'
      reason: 'no_client_id' | 'limited' | 'timeout' | 'failed'
      code?: undefined
      member?: undefined
    }

export interface SignInOptions {
  clientId: string
  /** As it is registered, to the letter; its page, on the origin of this one, calls `completeSignIn()`. */
  redirectUri: string
  /** `none`: no page is shown, and who is not signed in comes back with `login_required`. */
  prompt?: 'none' | 'login' | 'select_account'
  /** A mail address to fill in. */
  loginHint?: string
  scope?: string
  /** What `completeSignIn()` gives back, such as the address to go on to. It is kept in the browser meanwhile. */
  returnTo?: string
}

export type SignInOutcome =
  | { status: 'leaving' }
  | {
      status: 'refused'
      /** `login_required`: a moment ago nobody was signed in, so `prompt: 'none'` is not tried again yet. The others are for
       *  developers, and said on the console too. */
      reason:
        | 'login_required'
        | 'no_client_id'
        | 'loop'
        | 'insecure_page'
        | 'frame'
        | 'other_origin'
        | 'no_storage'
        | 'failed'
    }

export type CompletedSignIn =
  /** For the publisher's server, which holds the client's secret and asks the token endpoint. */
  | {
      status: 'authenticated'
      code: string
      codeVerifier: string
      redirectUri: string
      clientId: string
      state: string
      returnTo?: string | undefined
    }
  /** The server's error, or `state_mismatch` where this browser did not ask, `iss_mismatch` where somebody else answered. */
  | {
      status: 'refused'
      error: string
      description?: string | null | undefined
      returnTo: string | undefined
    }
  /** The address has no answer of this tenant's. */
  | { status: 'none' }

/** As `GET /api/sdk/member` says it. */
export interface Member {
  id: string
  email: string
  name: string | null
  /** ISO 8601. */
  created_at: string
}

declare global {
  interface WindowEventMap {
    /** Somebody has signed in or out on this browser, in whatever tab. `isSignedIn`: this page sees a member's token. */
    'usher:member': CustomEvent<{ isSignedIn: boolean }>
  }
}

/** What a site says of its tenant. */
export interface SignInSettings {
  /** The tenant's address. */
  origin: string
  /** Of the cookie that holds the member's token. */
  cookieName: string
  /** The tenant's Cookie Domain, "" where the cookie is the exact host's. */
  cookieDomain: string
}
