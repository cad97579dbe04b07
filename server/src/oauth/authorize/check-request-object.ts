import type { OAuthErrorCode } from '@usher/contract'
import { type Check, sentValue } from './asked.ts'

const REFUSALS: Record<string, OAuthErrorCode> = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
}

/** What a request says stands in its own query, and its client is registered (OpenID Connect Core 3.1.2.6, 6 and
 *  7.2.1). */
export const checkRequestObject: Check = ({ query }) => {
  for (const [name, error] of Object.entries(REFUSALS))
    if (sentValue(query, name) !== undefined)
      return { error, description: `${name} is not supported. Send each parameter by itself.` }
  return undefined
}
