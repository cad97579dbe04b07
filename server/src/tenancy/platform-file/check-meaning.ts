import { domainToASCII } from 'node:url'
import { cookieDomainFault } from '../cookie-domain.ts'
import { slugOfHost } from '../host.ts'
import { hasValidChecksum, kindOfToken } from '../key-token.ts'
import type { Path, Problem } from './problems.ts'

interface Found {
  path: Path
  text: string
}

/** The texts at a path where `*` stands for every index. It takes a file as it is, so that a fault of form
 *  in one place does not hide a fault of meaning in another. */
function textsAt(root: unknown, ...pattern: (string | number)[]): Found[] {
  let found: { path: Path; value: unknown }[] = [{ path: [], value: root }]
  for (const step of pattern)
    found = found.flatMap(({ path, value }) => {
      if (step === '*')
        return Array.isArray(value)
          ? value.map((item, index) => ({ path: [...path, index], value: item }))
          : []
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return []
      return [{ path: [...path, step], value: (value as Record<string, unknown>)[step] }]
    })
  return found.flatMap(({ path, value }) => (typeof value === 'string' ? [{ path, text: value }] : []))
}

function repeated(texts: readonly Found[], message: string): Problem[] {
  const seen = new Set<string>()
  return texts.flatMap(({ path, text }) => {
    const key = text.toLowerCase()
    const again = seen.has(key)
    seen.add(key)
    return again ? [{ path, message }] : []
  })
}

function hostProblems({ path, text }: Found, slug: string | undefined, platformHost: string): Problem[] {
  const host = text.toLowerCase()
  if (host === platformHost) return [{ path, message: "is the platform's own host" }]
  const slugOf = slugOfHost(host, platformHost)
  if (slugOf !== undefined && slugOf !== slug)
    return [{ path, message: `is kept for the tenant with the slug ${slugOf}` }]
  const ascii = domainToASCII(text)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/[^\x00-\x7f]/.test(text) && ascii !== '') return [{ path, message: `must be written as ${ascii}` }]
  return []
}

function tokenProblems({ path, text }: Found, kind: 'platform' | 'organization'): Problem[] {
  const made = kindOfToken(text)
  if (made === undefined) return []
  if (made !== kind) return [{ path, message: 'has the prefix of the other kind of key' }]
  return hasValidChecksum(text)
    ? []
    : [{ path, message: 'has the prefix of a made token, but its checksum does not fit' }]
}

/** Whether a day of the calendar exists: JavaScript makes 2 March of 30 February. */
function timeProblems({ path, text }: Found): Problem[] {
  if (!/^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text)) return []
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
  return exists && !Number.isNaN(new Date(text).getTime())
    ? []
    : [{ path, message: 'is no day or time that exists' }]
}

const urlProblems = ({ path, text }: Found): Problem[] =>
  /^https?:/.test(text) && !URL.canParse(text) ? [{ path, message: 'is no URL' }] : []

function cookieDomainProblems({ path, text }: Found, domain: string | undefined): Problem[] {
  // A leading dot is a fault of form, and told as such.
  if (text === '' || text.startsWith('.') || domain === undefined) return []
  const message = cookieDomainFault(text.toLowerCase(), domain.toLowerCase())
  return message === undefined ? [] : [{ path, message }]
}

/** What a file may not say although each field has its form. `platformHost` is lower case. */
export function checkMeaning(file: unknown, platformHost: string): Problem[] {
  const problems = [
    ...repeated(textsAt(file, 'tenants', '*', 'slug'), 'is named twice'),
    ...repeated(textsAt(file, 'operators', '*'), 'is named twice'),
    ...repeated(textsAt(file, 'platform_keys', '*', 'name'), 'is named twice'),
    ...repeated(
      [...textsAt(file, 'tenants', '*', 'domain'), ...textsAt(file, 'tenants', '*', 'aliases', '*')],
      'is named twice; a host belongs to one tenant, once',
    ),
  ]
  const count =
    typeof file === 'object' && file !== null && 'tenants' in file && Array.isArray(file.tenants)
      ? file.tenants.length
      : 0
  for (let index = 0; index < count; index++) {
    const at = (...steps: string[]) => textsAt(file, 'tenants', index, ...steps)
    const slug = at('slug')[0]?.text
    const hosts = [...at('domain'), ...at('aliases', '*')]
    problems.push(
      ...hosts.flatMap(host => hostProblems(host, slug, platformHost)),
      ...at('cookie_domain').flatMap(found => cookieDomainProblems(found, at('domain')[0]?.text)),
      ...repeated(at('flags', '*'), 'is named twice'),
      ...repeated(at('login_methods', '*'), 'is named twice'),
      ...repeated(at('branding', 'languages', '*'), 'is named twice'),
      ...at('branding', 'logo_url').flatMap(urlProblems),
      ...repeated(at('staff', '*', 'email'), 'is named twice'),
      ...repeated(at('keys', '*', 'name'), 'is named twice'),
    )
  }

  const platformTokens = textsAt(file, 'platform_keys', '*', 'token')
  const tenantTokens = textsAt(file, 'tenants', '*', 'keys', '*', 'token')
  const tokens = [...platformTokens, ...tenantTokens]
  const seen = new Set<string>()
  for (const { path, text } of tokens) {
    if (seen.has(text)) problems.push({ path, message: 'is the token of another key of this file' })
    seen.add(text)
  }
  problems.push(
    ...platformTokens.flatMap(token => tokenProblems(token, 'platform')),
    ...tenantTokens.flatMap(token => tokenProblems(token, 'organization')),
    ...textsAt(file, 'platform_keys', '*', 'expires_at').flatMap(timeProblems),
    ...textsAt(file, 'tenants', '*', 'keys', '*', 'expires_at').flatMap(timeProblems),
  )
  return problems
}
