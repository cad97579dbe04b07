import { OAuthError } from './oauth-error.ts'

/** The value of a parameter; undefined when it was not sent, or sent without a value, which is the same (RFC 6749
 *  3.2). Throws invalid_request when it was sent twice. */
export function formValue(form: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = form.getAll(name)
  if (more.length > 0) throw new OAuthError('invalid_request', `Send ${name} once.`)
  return value || undefined
}
