import { type Check, invalidRequest, sentValue } from './asked.ts'

const VALUES = ['none', 'login', 'select_account']

/** The values of prompt, none of them if it was not sent. */
export const promptsOf = (query: URLSearchParams): string[] =>
  (sentValue(query, 'prompt') ?? '').split(' ').filter(value => value !== '')

/** prompt has known values, and `none` stands alone (interface 4.9; OpenID Connect Core 3.1.2.1). */
export const checkPrompt: Check = ({ query }) => {
  const prompts = promptsOf(query)
  if (prompts.some(value => !VALUES.includes(value)))
    return invalidRequest(`prompt must be ${VALUES.join(', ')}, or left out.`)
  return prompts.includes('none') && prompts.length > 1
    ? invalidRequest('prompt=none cannot be combined with another value.')
    : undefined
}
