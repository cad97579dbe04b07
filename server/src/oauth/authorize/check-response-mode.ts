import { type Check, invalidRequest, sentValue } from './asked.ts'

/** An answer goes into the query: who asks for another place would look for it in vain (OAuth 2.0 Multiple Response
 *  Type Encoding Practices 2.1). */
export const checkResponseMode: Check = ({ query }) =>
  [undefined, 'query'].includes(sentValue(query, 'response_mode'))
    ? undefined
    : invalidRequest('response_mode must be query, or left out.')
