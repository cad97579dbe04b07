import { type Check, invalidRequest, sentValue } from './asked.ts'

/** response_type is `code` (interface 4.6; RFC 6749 3.1.1 and 4.1.2.1). */
export const checkResponseType: Check = ({ query }) => {
  const type = sentValue(query, 'response_type')
  if (type === 'code') return undefined
  if (type === undefined) return invalidRequest('response_type is missing. It must be code.')
  return { error: 'unsupported_response_type', description: 'response_type must be code.' }
}
