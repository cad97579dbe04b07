import type { SocialProviderKind } from '@usher/contract'

/** What is known of a kind of provider beforehand. */
interface KindFacts {
  /** What members read, unless the tenant says otherwise. */
  name?: string
  /** Unless the tenant says otherwise; a kind without one needs it. */
  issuer?: string
  scope: string
  /** Whether it answers by a form that is posted from its own site. */
  formPost?: true
}

/** Ready settings of the providers that members know, and `oidc` for any other provider of OpenID Connect. */
const kindFacts: Readonly<Record<SocialProviderKind, KindFacts>> = {
  google: { name: 'Google', issuer: 'https://accounts.google.com', scope: 'openid email profile' },
  // Asked for a name or an address, it answers by form_post alone.
  apple: { name: 'Apple', issuer: 'https://appleid.apple.com', scope: 'openid email name', formPost: true },
  // Accounts of every organization, and personal ones.
  microsoft: {
    name: 'Microsoft',
    issuer: 'https://login.microsoftonline.com/common/v2.0',
    scope: 'openid email profile',
  },
  // OAuth without OpenID Connect. By this name it says who it is (RFC 9207).
  github: { name: 'GitHub', issuer: 'https://github.com/login/oauth', scope: 'read:user user:email' },
  oidc: { scope: 'openid email profile' },
}

export const factsOf = (kind: SocialProviderKind): KindFacts => kindFacts[kind]
