/** Whether a member who signed in at a time need not sign in again for a `max_age`, in seconds (OpenID Connect Core
 *  3.1.2.1); null asks for nothing. */
export const isRecentEnough = (signedInAt: Date, maxAgeS: number | null, nowMs: number): boolean =>
  maxAgeS === null || nowMs - signedInAt.getTime() < maxAgeS * 1_000
