import { domainToASCII } from 'node:url'

// RFC 5321 4.1.2 without quoted local parts and address literals, which hardly anybody has.
const LOCAL_PART = /^(?!\.)(?!.*\.\.)[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\.)$/
const DOMAIN = /^(?=.{1,253}$)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!-)[a-z0-9-]{2,63}(?<!-)$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const ASCII = /^[\x00-\x7f]*$/

/** The mail address that somebody typed, in the one form in which it is stored, compared and sent to: lower case, the
 *  domain in ASCII. Undefined when it is none, or more than one. */
export function parseEmailAddress(typed: string): string | undefined {
  const text = typed.trim()
  if (text.length > 254) return undefined
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  // Before lower-casing, which makes a k of the Kelvin sign: a look-alike must not become somebody's address.
  if (!ASCII.test(local)) return undefined
  const domain = domainToASCII(text.slice(at + 1))
  const address = `${local.toLowerCase()}@${domain}`
  return LOCAL_PART.test(local.toLowerCase()) && DOMAIN.test(domain) && address.length <= 254
    ? address
    : undefined
}
