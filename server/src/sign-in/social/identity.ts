/** An account at a provider that is a member's. */
export interface Identity {
  id: string
  memberId: string
  /** Who says who it is, and what it is called there: the two by which it is known (OpenID Connect Core 5.7). */
  issuer: string
  subject: string
  /** By which it came last. */
  providerId: string
  /** What the member knows it by. */
  label: string
  createdAt: Date
}

/** Who came back from a provider, as the provider has said it. */
export interface ProviderAccount {
  issuer: string
  subject: string
  /** An address of which the provider says that it is this person's; null where it does not say so, or knows none. */
  verifiedEmail: string | null
  /** What the member knows the account by. */
  label: string
  /** What the person is called, as the provider has it; null where it does not say. */
  name: string | null
}
