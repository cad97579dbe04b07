import { type Check, invalidRequest } from './asked.ts'

/** Parameters that mean something here, but for the two that a redirect depends on. */
const NAMES = [
  'response_type',
  'response_mode',
  'code_challenge',
  'code_challenge_method',
  'state',
  'scope',
  'nonce',
  'prompt',
  'login_hint',
  'max_age',
  'id_token_hint',
  'ui_locales',
  'request',
  'request_uri',
  'registration',
]

/** No parameter is sent twice (RFC 6749 3.1). */
export const checkRepetition: Check = ({ query }) => {
  const repeated = NAMES.find(name => query.getAll(name).length > 1)
  return repeated === undefined ? undefined : invalidRequest(`Send ${repeated} once.`)
}
