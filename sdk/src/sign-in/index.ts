import type { CompletedSignIn, Member, SignIn, SignInOutcome, SilentAnswer } from './api.ts'
import { startSignIn as connect } from './start-sign-in.ts'

export type { CompletedSignIn, Member, SignIn, SignInOutcome, SilentAnswer }

/** What a site says of its tenant. */
export interface StartSignInOptions {
  /** The tenant's address, as in `https://members.example.com`. */
  origin: string
  /** The tenant's Cookie Domain, as in `example.com`, which `signOut()` has to know to forget the cookie. */
  cookieDomain?: string
  /** The cookie that holds the member's token, where the installation has given it another name. */
  cookieName?: string
}

let started: SignIn | undefined

/** Where there is no page, nobody is known and nobody can be sent anywhere. */
const nowhere: SignIn = {
  silentSignIn: async () => ({ status: 'unknown', reason: 'failed' }),
  signIn: async () => ({ status: 'refused', reason: 'failed' }),
  completeSignIn: async () => ({ status: 'none' }),
  member: async () => undefined,
  signOut: async () => false,
}

/** Gives the calls of sign-in on this page, once: a second call gives what the first one gave. Where there is no page, as on
 *  a server, they know nobody. Throws a TypeError when `origin` is not an address. */
export function startSignIn({
  origin,
  cookieDomain = '',
  cookieName = '_SERVICET',
}: StartSignInOptions): SignIn {
  if (typeof window === 'undefined') return nowhere
  started ??= connect({ origin, cookieDomain, cookieName })
  return started
}
