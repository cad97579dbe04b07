import { type Check, invalidRequest, sentValue } from './asked.ts'

/** More seconds than anybody stays signed in, and as many as the database counts. */
const MOST = 2_147_483_647

/** max_age, in seconds; null when it was not sent. */
export function maxAgeOf(query: URLSearchParams): number | null {
  const sent = sentValue(query, 'max_age')
  return sent === undefined ? null : Math.min(Number(sent), MOST)
}

/** max_age is a number of seconds (OpenID Connect Core 3.1.2.1). */
export const checkMaxAge: Check = ({ query }) =>
  /^\d*$/.test(sentValue(query, 'max_age') ?? '')
    ? undefined
    : invalidRequest('max_age must be a whole number of seconds.')
