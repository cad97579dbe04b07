import { flags } from '@usher/contract'
import { Type } from 'typebox'
import { defaultEventSettings, defaultSignInSettings, languages, loginMethods } from '../tenant.ts'
import { TenantClient } from './client-declaration.ts'
import { TenantKey } from './key-declarations.ts'
import { TenantProvider } from './provider-declaration.ts'
import {
  COLOR,
  COOKIE_DOMAIN,
  closed,
  EMAIL,
  HOST,
  LOGO,
  list,
  NAME,
  PARAMETER,
  SENDER,
  SLUG,
  text,
} from './text-forms.ts'

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

export const TenantDeclaration = Type.Object(
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
export type EventsDeclaration = Type.Static<typeof Events>
