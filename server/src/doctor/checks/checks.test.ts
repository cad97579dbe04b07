import { silentSignInCodes } from '@usher/contract'
import { describe, expect, test } from 'vitest'
import { examinedFor, type Setting } from '../../testing/examined.ts'
import { blocking, partnerWith, site, warning } from '../../testing/planted-faults.ts'
import { conclude, concludePromptNone } from '../conclusions.ts'
import { examine } from '../examine-silent-sign-in.ts'

const findingsOf = (given: Setting) =>
  examine(examinedFor(given)).checks.flatMap(({ name, findings }) =>
    findings.map(finding => ({ check: name, ...finding })),
  )

describe('a set-up that works is said to work', () => {
  test.for<[string, Setting]>([
    ['as it should be', {}],
    ['with other origins beside', partnerWith('http://news.acme.example', site, 'https://acme.example')],
    ['with the canonical host', { host: 'members.acme.example' }],
    ['with the canonical host and its port', { host: 'members.acme.example:443' }],
    ['with the canonical address', { host: 'https://members.acme.example/sdk.js' }],
    ['at a subdomain of the tenant', { tenant: { domain: 'acme.example', cookieDomain: 'acme.example' } }],
    [
      'on *.localhost, in development',
      {
        site: 'http://news.acme.localhost:4100',
        publicUrl: 'http://platform.localhost:3000',
        tenant: { domain: 'members.acme.localhost', cookieDomain: 'acme.localhost' },
        ...partnerWith('http://news.acme.localhost:4100'),
      },
    ],
    [
      'at another port of the tenant’s own host',
      {
        site: 'https://members.acme.example:8443',
        ...partnerWith('https://members.acme.example:8443'),
      },
    ],
  ])('%s', ([, given]) => {
    const report = examine(examinedFor(given))
    expect(findingsOf(given)).toEqual([])
    expect([report.works, report.promptNoneWorks]).toEqual([true, true])
    expect(report.checks.map(({ good }) => good)).not.toContain(null)
  })

  test('and each check says what is right', () => {
    const { checks } = examine(examinedFor({ host: 'members.acme.example' }))
    expect(checks.map(({ name, good }) => `${name}: ${good}`)).toEqual([
      'tenant: The address of Acme Daily is https://members.acme.example, by USHER_PUBLIC_URL (USHER_PORT where that is not set).',
      'client: Client partner is enabled.',
      "site: https://news.acme.example is what browsers send as the site's origin.",
      "host: The site asks at members.acme.example, the tenant's canonical domain.",
      'tls: Site and tenant are under https.',
      'same_site: news.acme.example and members.acme.example are same-site: both belong to acme.example.',
      'cookie_domain: The Cookie Domain acme.example covers news.acme.example and members.acme.example.',
      'origin: https://news.acme.example is an allowed origin of client partner.',
      'pkce: Client partner may send prompt=none without a code_challenge.',
    ])
  })
})

describe('one thing planted is named by its code, and what to change by its values', () => {
  test.for(blocking)('%s: %s', ([, code, promptNone, given, words]) => {
    const report = examine(examinedFor(given))
    const findings = findingsOf(given)
    expect(findings.map(finding => [finding.code, finding.severity])).toEqual([[code, 'blocks']])
    expect([report.works, report.promptNoneWorks]).toEqual([false, promptNone])
    const told = findings.map(({ problem, change }) => `${problem} ${change}`).join(' ')
    for (const word of words) expect(told).toContain(word)
  })

  test.for(warning)('%s: %s, which does not block', ([, code, , given, words]) => {
    const report = examine(examinedFor(given))
    const findings = findingsOf(given)
    expect(findings.map(finding => [finding.code, finding.severity])).toEqual([[code, 'warns']])
    expect([report.works, report.promptNoneWorks]).toEqual([true, true])
    for (const word of words) expect(`${findings[0]?.problem} ${findings[0]?.change}`).toContain(word)
  })

  test('and there is a plant for every code', () => {
    const planted = new Set([...blocking, ...warning].map(([, code]) => code))
    expect([...planted].toSorted()).toEqual(silentSignInCodes.toSorted())
  })

  test('each sentence ends, and says two things', () => {
    for (const [what, , , given] of [...blocking, ...warning])
      for (const { problem, change } of findingsOf(given)) {
        expect([what, problem]).toEqual([what, expect.stringMatching(/^\S.+\.$/)])
        expect([what, change]).toEqual([what, expect.stringMatching(/^[A-Z].+[.?\w]$/)])
        expect(change).not.toBe(problem)
      }
  })
})

test('on the tenant’s own domain nothing is said of what only matters between two sites', () => {
  const { checks } = examine(examinedFor({ site: 'https://members.acme.example' }))
  expect(checks.map(({ name }) => name)).toEqual(['tenant', 'client', 'site', 'pkce'])
})

describe('several things planted are all named at once', () => {
  test.for([
    ['site', { site: 'http://news.localhost' }],
    [
      'tenant',
      { site: 'http://news.acme.example', tenant: { domain: 'a.localhost', cookieDomain: 'a.localhost' } },
    ],
  ] as const)('no TLS, where only the %s is on this machine', ([, given]) => {
    const findings = findingsOf({
      publicUrl: 'http://platform.example',
      ...given,
      ...partnerWith(given.site),
    })
    expect(findings.map(({ code }) => code)).toEqual(['without_tls', 'not_same_site'])
  })

  test('everything that can be wrong together', () => {
    const findings = findingsOf({
      site: 'http://News.globe.example/articles',
      host: 'accounts.acme.example',
      tenant: { suspended: true, cookieDomain: null },
      clients: {
        partner: { enabled: false, pkceRequired: true },
      },
    })
    expect(findings.map(({ check, code }) => `${check} ${code}`)).toEqual([
      'tenant tenant_suspended',
      'client client_disabled',
      'site site_not_an_origin',
      'host host_is_alias',
      'tls site_without_tls',
      'same_site not_same_site',
      'cookie_domain cookie_domain_blank',
      'pkce pkce_without_challenge',
    ])
  })

  test('no origins at all, and another client', () => {
    const given = { clients: { partner: {}, shop: { allowedOrigins: [site] } } }
    expect(findingsOf(given).map(({ code }) => code)).toEqual([
      'client_without_origins',
      'origin_of_other_client',
    ])
    // One change ends both.
    expect(conclude(examine(examinedFor(given)))).toContain('yet: 1 thing has to change.')
  })

  test('a nearest origin and another client', () => {
    const findings = findingsOf({
      clients: {
        partner: { allowedOrigins: ['http://news.acme.example', 'https://acme.example'] },
        shop: { allowedOrigins: [site] },
      },
    })
    expect(findings.map(({ code }) => code)).toEqual(['origin_scheme_differs', 'origin_of_other_client'])
  })

  test('an unknown client, and what concerns no client', () => {
    const findings = findingsOf({ clientId: 'nobody', tenant: { cookieDomain: null } })
    expect(findings.map(({ code }) => code)).toEqual(['client_unknown', 'cookie_domain_blank'])
  })
})

test.for<[string, Setting, string]>([
  ['another site', { site: 'https://news.globe.example' }, 'not_same_site'],
  ['an alias', { site: 'https://accounts.acme.example' }, 'site_is_alias'],
  ['http, where the tenant is under https', { site: 'http://news.acme.example' }, 'site_without_tls'],
])('nobody is told to register the origin of a site that has to move: %s', ([, given, code]) => {
  const report = examine(examinedFor(given))
  expect(report.checks.map(({ name }) => name)).not.toContain('origin')
  expect(findingsOf(given).map(finding => finding.code)).toEqual([code])
  expect(conclude(report)).toContain('yet: 1 thing has to change.')
})

describe('prompt=none is told with where it comes back to', () => {
  const way = 'works as a redirect of the whole window'
  test.for<[string, string[], string]>([
    [
      'elsewhere',
      ['https://app.partner.example/callback'],
      'It comes back to https://app.partner.example/callback; none is on this site: to use it here, register one below https://news.acme.example.',
    ],
    [
      'here',
      ['https://app.partner.example/callback', `${site}/signed-in`],
      `It comes back to ${site}/signed-in.`,
    ],
    [
      'many places elsewhere',
      ['https://a.example/1', 'https://a.example/2', 'https://a.example/3'],
      'It comes back to https://a.example/1, https://a.example/2 and others; none is on this site',
    ],
  ])('%s', ([, redirectUris, words]) => {
    const told = concludePromptNone(
      examine(examinedFor({ clients: { partner: { allowedOrigins: [site], redirectUris } } })),
    )
    expect(told).toContain(way)
    expect(told).toContain(words)
  })
})

test.for([
  [
    'http://news.acme.localhost:4100',
    'serve the site under https and register one below https://news.acme.localhost.',
  ],
  ['http://127.0.0.1:4100', 'register one below http://127.0.0.1:4100.'],
] as const)('a redirect URI that a client may register is told, on %s', ([at, words]) => {
  expect(concludePromptNone(examine(examinedFor({ site: at, ...partnerWith(at) })))).toContain(
    `to use it here, ${words}`,
  )
})

test('across sites prompt=none works, and where it does not, that is said', () => {
  const across = { site: 'https://other.example' }
  const report = examine(examinedFor({ ...across, ...partnerWith() }))
  expect([report.works, report.promptNoneWorks]).toEqual([false, true])
  const blank = examine(examinedFor({ ...across, tenant: { cookieDomain: null } }))
  expect([blank.works, blank.promptNoneWorks]).toEqual([false, false])
})
