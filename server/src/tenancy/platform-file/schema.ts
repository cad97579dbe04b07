import { flags, socialProviderKinds } from '@usher/contract'
import { Type } from 'typebox'
import { abilities } from '../credential.ts'
import { defaultEventSettings, defaultSignInSettings, languages, loginMethods } from '../tenant.ts'

/** What a text in the platform file must look like: the pattern for editors, the words for people. */
interface Form {
  pattern: string
  words: string
}

const LABEL = '(?!-)[A-Za-z0-9-]{1,63}(?<!-)'

const HOST: Form = {
  pattern: `^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`,
  words: 'must be a host name alone, like members.example.com: no scheme, port, path or trailing dot',
}
const COOKIE_DOMAIN: Form = {
  pattern: `^$|${HOST.pattern}`,
  words: 'must be a host name alone, like example.com, without a leading dot; "" is none',
}
const SLUG: Form = {
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  words: 'must be 1 to 63 lower-case letters, digits and inner hyphens',
}
const MAILBOX = `[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})*`
const EMAIL: Form = {
  pattern: `^(?=.{3,254}$)${MAILBOX}$`,
  words: 'must be a mail address, like ops@example.com',
}
const TIME: Form = {
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?(Z|[+-]\\d{2}:\\d{2}))?$',
  words: 'must be a day like 2027-12-31, or a time with its offset like 2027-12-31T12:00:00Z',
}
const NAME: Form = {
  pattern: '^(?! )[^\\u0000-\\u001f\\u007f]{1,200}(?<! )$',
  words: 'must be 1 to 200 characters on one line, without spaces around it',
}
const TOKEN: Form = {
  pattern: '^[!-~]{32,512}$',
  words: 'must be 32 to 512 letters, digits and marks without spaces; leave it out to have one made',
}
const CLIENT_ID: Form = {
  pattern: '^[A-Za-z0-9._-]{1,128}$',
  words: 'must be 1 to 128 letters, digits, dots, underscores and hyphens',
}
const ADDRESS: Form = {
  pattern: '^[!-~]{1,2048}$',
  words: 'must be an address of visible ASCII characters, like https://app.example.com/callback',
}
const PROVIDER_ID: Form = {
  pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
  words: 'must be 1 to 40 lower-case letters, digits and hyphens',
}
const FOREIGN_SECRET: Form = {
  pattern: '^[!-~]{1,4096}$',
  words: 'must be 1 to 4,096 visible ASCII characters',
}
const APPLE_ID: Form = {
  pattern: '^[A-Z0-9]{10}$',
  words: 'must be the 10 capital letters and digits that Apple shows',
}
const PEM: Form = {
  pattern: '^\\s*-----BEGIN PRIVATE KEY-----[\\s\\S]{1,4000}$',
  words: 'must be the text of the .p8 file, which begins with -----BEGIN PRIVATE KEY-----',
}
const ADDRESS_OR_NONE: Form = { pattern: `^$|${ADDRESS.pattern}`, words: `${ADDRESS.words}; "" is none` }
const PARAMETER: Form = {
  pattern: '^[!-~]{1,100}$',
  words: 'must be 1 to 100 letters, digits and marks without spaces',
}
const SENDER: Form = {
  pattern: `^(?:[^<>",;:@\\u0000-\\u001f\\u007f]{1,100} <${MAILBOX}>|${MAILBOX})$`,
  words: 'must be a mail address, or a name with one like Acme Daily <hello@acme.example>',
}
const COLOR: Form = {
  pattern: '^#[0-9A-Fa-f]{6}$',
  words: 'must be a color like "#8b1e3f" (in quotes: # begins a comment in YAML)',
}
const LOGO: Form = {
  pattern:
    '^(?:https://|http://(?:[A-Za-z0-9.-]+\\.)?localhost[:/]|http://127\\.0\\.0\\.1[:/])[!-~]{1,2000}$',
  words: 'must be an https URL; http is for localhost alone',
}

/** The words of each form, by its pattern. */
export const formWords: ReadonlyMap<string, string> = new Map(
  [
    HOST,
    COOKIE_DOMAIN,
    SLUG,
    EMAIL,
    TIME,
    NAME,
    TOKEN,
    PARAMETER,
    CLIENT_ID,
    PROVIDER_ID,
    FOREIGN_SECRET,
    APPLE_ID,
    PEM,
    ADDRESS,
    SENDER,
    COLOR,
    LOGO,
  ].map(({ pattern, words }) => [pattern, words]),
)

const text = ({ pattern }: Form, description: string) => Type.String({ pattern, description })
const list = <T extends Parameters<typeof Type.Array>[0]>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { description }))
const closed = { additionalProperties: false } as const

const token = Type.Optional(text(TOKEN, 'Used as given; without it one is made and printed once.'))
const keyAbilities = Type.Optional(
  Type.Array(Type.Enum([...abilities]), {
    minItems: 1,
    description: 'What the key may do; without it, everything.',
  }),
)
const expiresAt = Type.Optional(text(TIME, 'When the key stops working; a day begins at midnight UTC.'))

const PlatformKey = Type.Object(
  {
    name: text(NAME, 'Unique among the keys of the platform.'),
    operator: Type.Optional(text(EMAIL, 'The operator it belongs to; without it, the first operator.')),
    token,
    abilities: keyAbilities,
    expires_at: expiresAt,
  },
  closed,
)

const TenantKey = Type.Object(
  {
    name: text(NAME, 'Unique among the keys of the tenant.'),
    user: Type.Optional(
      text(EMAIL, "Of the tenant's staff, or an operator; without it, the first administrator."),
    ),
    token,
    abilities: keyAbilities,
    expires_at: expiresAt,
  },
  closed,
)

const days = (unless: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 3650, default: unless, description }))

const Events = Type.Object(
  {
    retention_days: days(defaultEventSettings.retentionDays, 'Days that the log keeps an event.'),
    queue_retention_days: days(
      defaultEventSettings.queueRetentionDays,
      'Days that an unread event waits in a queue.',
    ),
    shorten_addresses: Type.Optional(
      Type.Boolean({ default: false, description: 'Store IPv4 as its /24 and IPv6 as its /48.' }),
    ),
    bots: Type.Optional(
      Type.Enum(['mark', 'drop'], { default: 'mark', description: 'Record known bots with a mark, or not.' }),
    ),
    site_hosts: list(
      text(HOST, 'A host.'),
      'Hosts of the pages whose events are accepted; empty accepts any.',
    ),
    secret_parameters: list(
      text(PARAMETER, 'The name of a query parameter.'),
      'Query parameters that are cut from URLs, beside the ones that always are.',
    ),
  },
  closed,
)

const Branding = Type.Object(
  {
    color: Type.Optional(text(COLOR, 'The color of buttons; contrast is kept whatever it is.')),
    logo_url: Type.Optional(text(LOGO, 'An image that stands on top of the pages and mails.')),
    languages: list(
      Type.Enum([...languages]),
      'Languages of the pages, the first one where a browser asks for none of them; empty is all that there are.',
    ),
  },
  closed,
)

const Staff = Type.Object(
  {
    email: text(EMAIL, 'A mail address.'),
    role: Type.Enum(['administrator', 'viewer'], { description: 'What the person may do here.' }),
  },
  closed,
)

const TenantClient = Type.Object(
  {
    client_id: text(CLIENT_ID, 'Public, and never changed; unique among the clients of the tenant.'),
    name: text(NAME, 'What members read on the sign-in page.'),
    client_secret: Type.Optional(
      text(TOKEN, 'Used as given, and another one replaces it; without it one is made and printed once.'),
    ),
    redirect_uris: Type.Array(text(ADDRESS, 'An exact URL.'), {
      minItems: 1,
      description: 'HTTPS, or http://localhost or http://127.0.0.1; the session probe uses the first.',
    }),
    allowed_origins: list(text(ADDRESS, 'An origin.'), 'Origins that the session probe answers.'),
    post_logout_redirect_uris: list(
      text(ADDRESS, 'An exact URL.'),
      'Where a browser may be sent once it was signed out; like redirect_uris.',
    ),
    backchannel_logout_uri: Type.Optional(
      text(ADDRESS_OR_NONE, 'Where the client is told that a session has ended; "" is nowhere.'),
    ),
    pkce_required: Type.Optional(
      Type.Boolean({ default: false, description: 'Refuse who does not use PKCE.' }),
    ),
    enabled: Type.Optional(
      Type.Boolean({ default: true, description: 'A client that is off is refused, with all its tokens.' }),
    ),
  },
  closed,
)
export type ClientDeclaration = Type.Static<typeof TenantClient>

const TenantProvider = Type.Object(
  {
    provider: Type.Enum([...socialProviderKinds], {
      description: 'One with ready settings, or any other provider of OpenID Connect.',
    }),
    id: Type.Optional(
      text(
        PROVIDER_ID,
        'Stands in its redirect URI, {domain}/sign-in/social/{id}/callback; without it the kind, or of oidc the name in lower case.',
      ),
    ),
    name: Type.Optional(text(NAME, 'What members read on its button; of oidc needed.')),
    issuer: Type.Optional(
      text(
        ADDRESS,
        'Its https address; of oidc needed, of Microsoft that of one directory, of GitHub that of an Enterprise Server.',
      ),
    ),
    client_id: text(FOREIGN_SECRET, 'What the provider calls the tenant.'),
    client_secret: Type.Optional(text(FOREIGN_SECRET, 'What the provider has given out; not of Apple.')),
    team_id: Type.Optional(text(APPLE_ID, "Of Apple: the team's id.")),
    key_id: Type.Optional(text(APPLE_ID, "Of Apple: the key's id.")),
    private_key: Type.Optional(text(PEM, 'Of Apple: the text of the .p8 file.')),
    enabled: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether members are offered it. Only then it is tried.' }),
    ),
  },
  closed,
)
export type ProviderDeclaration = Type.Static<typeof TenantProvider>

const TenantDeclaration = Type.Object(
  {
    slug: text(SLUG, 'Names the tenant in this file for good; {slug}.{platform host} is always an alias.'),
    name: text(NAME, 'What people read.'),
    domain: text(HOST, 'The canonical domain, without a port.'),
    aliases: list(text(HOST, 'A host.'), 'All further hosts of the tenant, but for that of its slug.'),
    cookie_domain: Type.Optional(
      text(
        COOKIE_DOMAIN,
        'The parent domain that the member\'s cookie is shared on, for silent sign-in; with "" it is the exact host\'s.',
      ),
    ),
    flags: list(Type.Enum([...flags]), 'All feature flags that are active.'),
    sign_up: Type.Optional(
      Type.Enum(['open', 'closed'], {
        default: defaultSignInSettings.signUp,
        description: 'Closed: only addresses that are members already get in.',
      }),
    ),
    login_methods: Type.Optional(
      Type.Array(Type.Enum([...loginMethods]), {
        default: [...defaultSignInSettings.loginMethods],
        description:
          'What a sign-in mail carries: its link, its code, or both; with [] members sign in by social providers alone.',
      }),
    ),
    social: list(
      TenantProvider,
      'Providers at which members have accounts to sign in with; one that is not named here stays.',
    ),
    branding: Type.Optional(Branding),
    access_token_ttl_s: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 31_536_000,
        default: defaultSignInSettings.accessTokenTtlS,
        description: 'Seconds that a token of a client is good for.',
      }),
    ),
    mail_from: Type.Optional(text(SENDER, "The sender of the tenant's mail.")),
    events: Type.Optional(Events),
    staff: list(Staff, 'People who run the tenant; who is not named here stays.'),
    keys: list(TenantKey, 'API keys; one that is not named here stays.'),
    clients: list(TenantClient, 'OAuth clients; one that is not named here stays.'),
  },
  closed,
)
export type TenantDeclaration = Type.Static<typeof TenantDeclaration>

/** The platform file (decisions, "First start, and configuration"). */
export const PlatformFile = Type.Object(
  {
    operators: list(text(EMAIL, 'A mail address.'), 'Super admins; one who is not named here stays.'),
    platform_keys: list(PlatformKey, 'API keys of operators; one that is not named here stays.'),
    tenants: list(TenantDeclaration, 'Tenants; one that is not named here stays as it is.'),
  },
  closed,
)
export type PlatformFile = Type.Static<typeof PlatformFile>
export type KeyDeclaration = Type.Static<typeof TenantKey>
export type EventsDeclaration = Type.Static<typeof Events>

/** A name of the environment stands for a text of any form. */
const FILLED_IN = '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}'

/** The JSON Schema that editors complete a platform file with, as it is committed. */
export function platformJsonSchema(): Record<string, unknown> {
  const schema = JSON.stringify(PlatformFile, (name, value: unknown) =>
    name === 'pattern' ? `${value}|${FILLED_IN}` : value,
  )
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: "Usher's platform file",
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a file says
      'What `usher apply` and USHER_APPLY bring the platform to. ${NAME} in a text is taken from the environment.',
    ...(JSON.parse(schema) as Record<string, unknown>),
  }
}
