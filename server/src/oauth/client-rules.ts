/** A client's settings as they are written in the API and in the platform file. */
export interface WrittenClient {
  client_id?: string
  name: string
  redirect_uris: readonly string[]
  allowed_origins: readonly string[]
  post_logout_redirect_uris: readonly string[]
  backchannel_logout_uri: string | null
}

type Field = keyof WrittenClient

/** What is wrong with a field, or with one entry of a list. */
export interface RuleProblem {
  field: Field
  /** The entry's place in the list; undefined for what concerns the whole field. */
  index?: number
  /** To be read after the field's name: "must be …". */
  message: string
}

const MAX_ENTRIES = 50
const MAX_URL_LENGTH = 2_048

/** Parameters of an authorization response (RFC 6749 4.1.2, RFC 9207): one in the URI would be there twice. */
const ANSWERED = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** The hosts at which an application that is being developed may be reached without TLS (interface 2.5). */
const DEVELOPMENT_HOSTS = ['localhost', '127.0.0.1']

type Rule = (text: string, url: URL) => string | false

const notHttps: Rule = (_text, { protocol, hostname }) =>
  protocol !== 'https:' &&
  !(protocol === 'http:' && DEVELOPMENT_HOSTS.includes(hostname)) &&
  'must be HTTPS; only http://localhost and http://127.0.0.1 may be without it'

/** RFC 6749 3.1.2; an empty fragment is one too. */
const fragment: Rule = text => text.includes('#') && 'must not have a fragment (#)'

const userinfo: Rule = (_text, { username, password }) =>
  (username !== '' || password !== '') && 'must not hold a user or a password'

const wildcard: Rule = text => text.includes('*') && 'must be one exact URL: wildcards (*) match nothing'

const answeredParameter =
  (answered: readonly string[]): Rule =>
  (_text, { searchParams }) => {
    const name = answered.find(parameter => searchParams.has(parameter))
    return name !== undefined && `must not have the parameter ${name}, which answers carry`
  }

/** A browser would go somewhere that is written differently, and the exact match would surprise. */
const otherForm: Rule = (text, { href, origin }) =>
  text !== href && !(text === origin) && `must be written as ${href}`

/** What a redirect URI must be, in the order in which it is told. */
const redirectUriRules: readonly Rule[] = [
  notHttps,
  fragment,
  userinfo,
  wildcard,
  answeredParameter(ANSWERED),
  otherForm,
]

/** A browser comes there with `state` (OpenID Connect RP-Initiated Logout 3.1). */
const postLogoutRules: readonly Rule[] = [
  notHttps,
  fragment,
  userinfo,
  wildcard,
  answeredParameter(['state']),
  otherForm,
]

/** OpenID Connect Back-Channel Logout 2.2. */
const backchannelRules: readonly Rule[] = [notHttps, fragment, userinfo, wildcard, otherForm]

/** What an allowed origin must be: exactly what a browser sends as Origin (RFC 6454 6.2). */
const originRules: readonly Rule[] = [
  (_text, { protocol }) => !/^https?:$/.test(protocol) && 'must be an http or https origin',
  wildcard,
  (text, { origin }) => text !== origin && `must be an origin as browsers send it: ${origin}`,
]

function urlFault(text: string, rules: readonly Rule[]): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  // Spaces, control characters and backslashes are dropped or changed by URL parsers, each in its own way.
  if (!/^[!-[\]-~]+$/.test(text)) return 'must be written in visible ASCII characters, without backslashes'
  const url = URL.parse(text)
  if (!url) return 'must be an absolute URL, such as https://app.example.com/callback'
  for (const rule of rules) {
    const message = rule(text, url)
    if (message) return message
  }
  return undefined
}

/** Whether a client may register an address as a redirect URI. */
export const canBeRedirectUri = (uri: string): boolean => urlFault(uri, redirectUriRules) === undefined

function* listProblems(
  field: 'redirect_uris' | 'allowed_origins' | 'post_logout_redirect_uris',
  entries: readonly string[],
  rules: readonly Rule[],
): Generator<RuleProblem> {
  if (entries.length > MAX_ENTRIES) yield { field, message: `must have at most ${MAX_ENTRIES} entries` }
  for (const [index, entry] of entries.slice(0, MAX_ENTRIES).entries()) {
    const fault = urlFault(entry, rules)
    if (fault !== undefined) yield { field, index, message: fault }
    else if (entries.indexOf(entry) < index) yield { field, index, message: 'is there twice' }
  }
}

/** Everything that a client's settings may not say (interface 2.5). */
export function* clientProblems(client: WrittenClient): Generator<RuleProblem> {
  if (client.client_id !== undefined && !isClientId(client.client_id))
    yield {
      field: 'client_id',
      message: 'must be 1 to 128 letters, digits, dots, underscores and hyphens',
    }
  if (!isName(client.name))
    yield {
      field: 'name',
      message: 'must be 1 to 200 characters on one line, without spaces around it',
    }
  if (client.redirect_uris.length === 0)
    yield { field: 'redirect_uris', message: 'must have at least one URL' }
  yield* listProblems('redirect_uris', client.redirect_uris, redirectUriRules)
  yield* listProblems('allowed_origins', client.allowed_origins, originRules)
  yield* listProblems('post_logout_redirect_uris', client.post_logout_redirect_uris, postLogoutRules)
  const { backchannel_logout_uri: backchannel } = client
  const fault = backchannel === null ? undefined : urlFault(backchannel, backchannelRules)
  if (fault !== undefined) yield { field: 'backchannel_logout_uri', message: fault }
}

/** The same, as the API tells it: the messages of each field. */
export function clientErrors(client: WrittenClient): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const { field, index, message } of clientProblems(client)) {
    const place = index === undefined ? field : `${field}[${index}]`
    errors[field] = [...(errors[field] ?? []), `${place} ${message}.`]
  }
  return errors
}

/** Whether a text can be a client's id at all. */
export const isClientId = (text: string): boolean => /^[A-Za-z0-9._-]{1,128}$/.test(text)

const isName = (text: string): boolean => /^(?!\s)\P{Cc}{1,200}(?<!\s)$/u.test(text) && text.isWellFormed()
