import type { SilentSignInCode } from '@usher/contract'
import type { Setting } from './examined.ts'

/** What is planted, the code that names it, whether prompt=none works all the same, and words of problem and change. */
export type Planted = [
  what: string,
  code: SilentSignInCode,
  promptNone: boolean,
  given: Setting,
  words: string[],
]

/** Where it works, unless something is planted. */
export const site = 'https://news.acme.example'
/** The partner with these allowed origins alone. */
export const partnerWith = (...allowedOrigins: string[]): Setting => ({
  clients: { partner: { allowedOrigins } },
})

/** What keeps the probe from working. */
export const blocking: readonly Planted[] = [
  [
    'a suspended tenant',
    'tenant_suspended',
    false,
    { tenant: { suspended: true } },
    ['Tenant acme is suspended', 'usher resume acme'],
  ],
  [
    'a client_id with a slip',
    'client_unknown',
    false,
    { clientId: 'Partnr' },
    ['Tenant acme has no client Partnr.', 'Did you mean partner?'],
  ],
  [
    'a client_id that resembles none',
    'client_unknown',
    false,
    { clientId: 'zzzzzz' },
    ['Tenant acme has no client zzzzzz.', 'use one that there is: partner.'],
  ],
  ['a tenant without clients', 'client_unknown', false, { clients: {} }, ['tenant acme has no client yet']],
  [
    'a disabled client',
    'client_disabled',
    false,
    { clients: { partner: { allowedOrigins: [site], enabled: false } } },
    [
      'Client partner is disabled',
      'Enable client partner: enabled: true in the platform file',
      'PATCH /api/v1/oauth-clients/partner.',
    ],
  ],
  [
    'a client without origins',
    'client_without_origins',
    true,
    partnerWith(),
    [
      'Client partner has no allowed origins',
      `Add ${site} to the allowed origins of client partner (allowed_origins in the platform file).`,
    ],
  ],
  [
    'an origin that is not registered',
    'origin_not_registered',
    true,
    partnerWith('https://shop.other.example'),
    [`${site} is no allowed origin of client partner`, `Add ${site} to`],
  ],
  [
    'an origin with a slash',
    'origin_form_differs',
    true,
    partnerWith(`${site}/`),
    [
      `${site}/ is registered, with a slash at its end`,
      'byte by byte',
      `Replace ${site}/ by ${site} in`,
      '(allowed_origins in the platform file).',
    ],
  ],
  [
    'an origin in upper case',
    'origin_form_differs',
    true,
    partnerWith('https://News.Acme.example'),
    ['https://News.Acme.example is registered, in upper case', `by ${site} in`],
  ],
  [
    'an origin with a path',
    'origin_form_differs',
    true,
    partnerWith(`${site}/articles`),
    [`${site}/articles is registered, with a path`],
  ],
  [
    'an origin with the default port',
    'origin_form_differs',
    true,
    partnerWith(`${site}:443`),
    [`${site}:443 is registered, in another form`],
  ],
  [
    'another scheme',
    'origin_scheme_differs',
    true,
    partnerWith('http://news.acme.example'),
    ['http://news.acme.example is registered, the scheme differs.', `Add ${site} to the allowed origins`],
  ],
  [
    'another scheme and port',
    'origin_scheme_differs',
    true,
    partnerWith('http://news.acme.example:4100'),
    ['the scheme and the port differ.'],
  ],
  [
    'another port',
    'origin_port_differs',
    true,
    partnerWith('http://news.acme.example', `${site}:8443`),
    [`${site}:8443 is registered, the port differs.`],
  ],
  [
    'a parent domain',
    'origin_host_differs',
    true,
    partnerWith('https://acme.example'),
    ['https://acme.example is registered, the host differs', 'no origin stands for its subdomains'],
  ],
  [
    'a subdomain',
    'origin_host_differs',
    true,
    partnerWith('https://www.news.acme.example'),
    ['https://www.news.acme.example is registered'],
  ],
  [
    'a suffix',
    'origin_host_differs',
    true,
    partnerWith('https://s.acme.example'),
    ['https://s.acme.example is registered'],
  ],
  [
    'a prefix',
    'origin_host_differs',
    true,
    partnerWith('https://news.acme.example.org'),
    ['https://news.acme.example.org is registered'],
  ],
  [
    'a beginning of it',
    'origin_host_differs',
    true,
    partnerWith('https://news.acme'),
    ['https://news.acme is registered'],
  ],
  [
    'a slip of the pen',
    'origin_host_differs',
    true,
    partnerWith('https://nesw.acme.example'),
    ['https://nesw.acme.example is registered'],
  ],
  [
    'an origin of another client',
    'origin_of_other_client',
    true,
    { clients: { partner: { allowedOrigins: ['https://x.test'] }, shop: { allowedOrigins: [site] } } },
    [
      `${site} is registered with client shop, and not with partner.`,
      'client_id=shop',
      'too (allowed_origins in the platform file).',
    ],
  ],
  [
    'an origin of another client that is enabled, beside one that is not',
    'origin_of_other_client',
    true,
    {
      clients: {
        partner: { allowedOrigins: ['https://x.test'] },
        off: { allowedOrigins: [site], enabled: false },
        shop: { allowedOrigins: [site] },
      },
    },
    ['with client off, shop, and not with partner.', 'Ask with client_id=shop on the site; or'],
  ],
  [
    'an origin of a disabled client alone',
    'origin_of_other_client',
    true,
    {
      clients: {
        partner: { allowedOrigins: ['https://x.test'] },
        off: { allowedOrigins: [site], enabled: false },
      },
    },
    [`with client off, and not with partner. Add ${site} to the allowed origins of client partner (`],
  ],
  [
    'an alias as the site',
    'site_is_alias',
    true,
    { site: 'https://accounts.acme.example', ...partnerWith('https://accounts.acme.example') },
    ['accounts.acme.example is an alias of tenant acme', "out of the tenant's aliases"],
  ],
  [
    "the tenant's own domain as the site",
    'site_is_tenant_domain',
    true,
    { site: 'https://members.acme.example' },
    ["https://members.acme.example is the tenant's own domain", '/api/sdk/member'],
  ],
  [
    'an alias that the site asks',
    'host_is_alias',
    true,
    { host: 'accounts.acme.example' },
    ['accounts.acme.example is an alias', 'redirect', 'Use https://members.acme.example on the site.'],
  ],
  [
    'the alias that every tenant has',
    'host_is_alias',
    true,
    { host: 'https://acme.platform.example' },
    ['acme.platform.example is an alias'],
  ],
  [
    "another port than the tenant's that the site asks by",
    'host_origin_differs',
    false,
    { host: 'members.acme.example:8443' },
    ['Usher does not answer at members.acme.example:8443', 'Use https://members.acme.example'],
  ],
  [
    'an alias with a port',
    'host_is_alias',
    true,
    { host: 'accounts.acme.example:8443' },
    ["loads the SDK's files from the alias works all the same"],
  ],
  [
    "another scheme than the tenant's that the site asks by",
    'host_origin_differs',
    false,
    { host: 'http://members.acme.example' },
    ['Usher does not answer at http://members.acme.example', 'Use https://members.acme.example'],
  ],
  [
    'a host that is not the tenant’s',
    'host_not_of_tenant',
    false,
    { host: 'member.acme.example' },
    ['member.acme.example is no host of tenant acme, though nearly members.acme.example.'],
  ],
  [
    'a site under http',
    'site_without_tls',
    true,
    { site: 'http://news.acme.example', ...partnerWith('http://news.acme.example') },
    ['under http and https://members.acme.example under https', 'Secure', 'as https://news.acme.example.'],
  ],
  [
    'a tenant under http',
    'tenant_without_tls',
    true,
    { publicUrl: 'http://platform.example' },
    ['mixed content', 'Put a TLS proxy in front', '“Behind a TLS proxy”).'],
  ],
  [
    'a tenant under http, on this machine',
    'tenant_without_tls',
    true,
    {
      site: 'https://news.acme.localhost',
      publicUrl: 'http://platform.localhost:3000',
      tenant: { domain: 'members.acme.localhost', cookieDomain: 'acme.localhost' },
      ...partnerWith('https://news.acme.localhost'),
    },
    ['; or, on this machine, open the site under http.'],
  ],
  [
    'another site',
    'not_same_site',
    true,
    { site: 'https://news.globe.example', ...partnerWith('https://news.globe.example') },
    [
      'news.globe.example belongs to globe.example, and members.acme.example belongs to acme.example',
      'a host below acme.example, or the tenant a domain below globe.example',
      'prompt=none',
    ],
  ],
  [
    'an address in place of a host, on which no domain can stand',
    'not_same_site',
    true,
    { site: 'https://203.0.113.7', ...partnerWith('https://203.0.113.7') },
    ['203.0.113.7 is a site of its own', 'Give the site a host below acme.example. From where'],
  ],
  [
    'hosts of strangers below a public suffix',
    'not_same_site',
    true,
    {
      site: 'https://news.github.io',
      tenant: { domain: 'acme.github.io', cookieDomain: 'acme.github.io' },
      ...partnerWith('https://news.github.io'),
    },
    ['they are not same-site', 'stranger', 'public suffix'],
  ],
  [
    'an address in place of a host',
    'not_same_site',
    true,
    {
      site: 'http://127.0.0.1:4100',
      publicUrl: 'http://platform.localhost:3000',
      tenant: { domain: 'members.acme.localhost', cookieDomain: 'acme.localhost' },
      ...partnerWith('http://127.0.0.1:4100'),
    },
    ['127.0.0.1 is a site of its own', 'Open the site at a host below acme.localhost'],
  ],
  [
    'an IPv6 address of this machine',
    'not_same_site',
    true,
    {
      site: 'http://[::1]:4100',
      publicUrl: 'http://platform.localhost:3000',
      tenant: { domain: 'members.acme.localhost', cookieDomain: 'acme.localhost' },
      ...partnerWith('http://[::1]:4100'),
    },
    ['[::1] is a site of its own'],
  ],
  [
    'a blank Cookie Domain',
    'cookie_domain_blank',
    false,
    { tenant: { cookieDomain: null } },
    ['The Cookie Domain of tenant acme is blank', 'whoever is', 'of tenant acme to acme.example'],
  ],
  [
    "a Cookie Domain that is the tenant's domain",
    'cookie_domain_not_covering',
    true,
    { tenant: { cookieDomain: 'members.acme.example' } },
    ['members.acme.example does not cover news.acme.example', 'of tenant acme to acme.example'],
  ],
  [
    "a Cookie Domain that does not cover the tenant's domain",
    'cookie_domain_not_covering',
    false,
    { tenant: { cookieDomain: 'news.acme.example' } },
    ["does not cover the tenant's own domain members.acme.example", 'browsers refuse'],
  ],
]

/** What does not. */
export const warning: readonly Planted[] = [
  [
    'a site with a path',
    'site_not_an_origin',
    true,
    { site: `${site}/articles?page=1` },
    [`${site}/articles?page=1 is not written as browsers send it: they send ${site}`, `Write ${site}`],
  ],
  ['a site with a slash', 'site_not_an_origin', true, { site: `${site}/` }, [`they send ${site},`]],
  ['a site in upper case', 'site_not_an_origin', true, { site: 'HTTPS://News.acme.example' }, [site]],
  [
    'no TLS at all',
    'without_tls',
    true,
    {
      site: 'http://news.acme.example',
      publicUrl: 'http://platform.example',
      ...partnerWith('http://news.acme.example'),
    },
    ['can be read on the way', 'Serve both under https.'],
  ],
  [
    'a client that requires PKCE',
    'pkce_without_challenge',
    true,
    { clients: { partner: { allowedOrigins: [site], pkceRequired: true } } },
    ['requires PKCE', 'invalid_request', 'The probe needs none.', 'code_challenge_method=S256'],
  ],
]
