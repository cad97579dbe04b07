import { silentSignInChecks } from '@usher/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { watchChanges } from '../testing/contract/watch-changes.ts'
import { createOAuthPlatform, hostOf, type OAuthPlatform } from '../testing/oauth-platform.ts'
import { platformHost, tokens } from '../testing/whole-platform.ts'

const viewer = 'test-key-of-a-viewer-of-acme-of-32-characters'
let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform({ USHER_PUBLIC_URL: `https://${platformHost}` })
  await platform.apply(
    JSON.stringify({
      tenants: [
        {
          slug: 'acme',
          name: 'Acme Daily',
          domain: 'members.acme.example',
          staff: [{ email: 'viewer@acme.example', role: 'viewer' }],
          keys: [{ name: 'viewer', user: 'viewer@acme.example', token: viewer }],
        },
      ],
    }),
  )
})
afterAll(() => platform.close())

const ask = (
  client: string,
  query: string | Record<string, string>,
  { key = tokens.acme, host = hostOf() } = {},
) =>
  platform.request(host, {
    url: `/api/v1/oauth-clients/${client}/silent-sign-in?${new URLSearchParams(query)}`,
    key,
  })
const site = 'https://news.acme.example'

describe('GET /api/v1/oauth-clients/{client_id}/silent-sign-in', () => {
  test('answers a set-up that works, with every header', async () => {
    const answer = await ask('partner', { site, host: 'members.acme.example' })
    expect(answer.statusCode).toBe(200)
    const { date: _date, connection: _connection, 'x-request-id': id, ...headers } = answer.headers
    expect(id).toMatch(/^[\w-]{12,}$/)
    expect(headers).toEqual({
      'content-type': 'application/vnd.api+json',
      'content-length': String(answer.rawPayload.length),
      'cache-control': 'no-store',
    })
    const { data } = answer.json()
    expect(data).toEqual({
      id: 'partner',
      type: 'silent-sign-in-reports',
      attributes: {
        client_id: 'partner',
        site,
        tenant_origin: 'https://members.acme.example',
        works: true,
        prompt_none_works: true,
        checks: silentSignInChecks.map(name => ({ name, passed: true, text: expect.stringMatching(/\.$/) })),
        findings: [],
      },
      links: {
        live_check: expect.stringMatching(
          /^https:\/\/members\.acme\.example\/silent-sign-in\/check\?ticket=[\w-]{100,}$/,
        ),
      },
    })
  })

  test('tells everything that is wrong, with what to change', async () => {
    const answer = await ask('closed', {
      site: 'http://news.acme.example/a',
      host: 'accounts.acme.example',
    })
    const { works, prompt_none_works, checks, findings, site: origin } = answer.json().data.attributes
    expect([works, prompt_none_works, origin]).toEqual([false, true, 'http://news.acme.example'])
    expect(
      findings.map(({ code, check, severity, affects }: Record<string, unknown>) => [
        code,
        check,
        severity,
        affects,
      ]),
    ).toEqual([
      ['site_not_an_origin', 'site', 'warns', ['probe']],
      ['host_is_alias', 'host', 'blocks', ['probe']],
      ['site_without_tls', 'tls', 'blocks', ['probe']],
    ])
    expect(checks).toContainEqual({ name: 'tls', passed: false, text: null })
    expect(checks).toContainEqual({ name: 'site', passed: true, text: null })
    const { findings: there } = (await ask('closed', { site })).json().data.attributes
    expect(there[0]).toMatchObject({
      problem: 'Client closed has no allowed origins: the probe answers it nowhere.',
      change:
        'Add https://news.acme.example to the allowed origins of client closed (allowed_origins in the platform file).',
    })
  })

  test('knows the alias that every tenant has', async () => {
    const { findings } = (await ask('partner', { site, host: `acme.${platformHost}` })).json().data.attributes
    expect(findings.map(({ code }: { code: string }) => code)).toEqual(['host_is_alias'])
  })

  test('is for whoever may view the tenant, also on the platform host', async () => {
    for (const options of [{ key: viewer }, { host: platformHost }])
      expect((await ask('partner', { site }, options)).json().data.attributes.works).toBe(true)
    expect((await ask('partner', { site }, { key: tokens.acmeReader })).statusCode).toBe(403)
    expect((await ask('partner', { site }, { key: tokens.globe })).statusCode).toBe(403)
  })

  test("looks at the key's own tenant alone", async () => {
    const answer = await ask('partner', { site }, { key: tokens.globe, host: platformHost })
    const { tenant_origin, findings } = answer.json().data.attributes
    expect(tenant_origin).toBe('https://members.globe.example')
    expect(findings.map(({ code }: { code: string }) => code)).toEqual([
      'not_same_site',
      'cookie_domain_blank',
    ])
    expect(answer.body).not.toContain('Acme Daily')
  })

  test('lets notes stand beside a set-up that works', async () => {
    const { works, findings } = (await ask('strict', { site })).json().data.attributes
    expect([works, findings.map(({ code }: { code: string }) => code)]).toEqual([
      true,
      ['pkce_without_challenge'],
    ])
  })

  test('sees a change at once', async () => {
    const before = (await ask('closed', { site })).json().data.attributes
    expect(before.findings.map(({ code }: { code: string }) => code)).toContain('client_without_origins')
    await platform.request(hostOf(), {
      method: 'PATCH',
      url: '/api/v1/oauth-clients/closed',
      key: tokens.acme,
      payload: { data: { type: 'oauth-clients', attributes: { allowed_origins: [site] } } },
    })
    const after = (await ask('closed', { site })).json().data.attributes
    expect([before.works, after.works, after.findings]).toEqual([false, true, []])
  })

  test('changes nothing', async () => {
    const changes = await watchChanges(platform.database.db)
    expect((await ask('partner', { site })).statusCode).toBe(200)
    expect(await changes()).toEqual([])
  })
})

describe('what is refused', () => {
  test.for([
    [
      'partnr',
      'Tenant acme has no client partnr. Did you mean partner? It is compared letter by letter, also upper and lower case.',
    ],
    ['only-globe', expect.stringMatching(/^Tenant acme has no client only-globe\. Register it, or use one /)],
  ] as const)('an unknown client, with 404: %s', async ([client, message]) => {
    const answer = await ask(client, { site })
    expect([answer.statusCode, answer.headers['content-type'], answer.json()]).toEqual([
      404,
      'application/json',
      { message, errors: { client_id: [message] } },
    ])
  })

  const noSite = 'site must be an address with http or https, such as https://news.example.com.'
  const noHost = 'host must be a host, such as members.example.com, or an address.'
  test.for<[string, string, number, Record<string, string[]>]>([
    ['no site', '', 422, { site: ['site is missing: it must be the address of a site.'] }],
    ['an empty site', 'site=', 422, { site: [noSite] }],
    [
      'a host as the site',
      'site=news.acme.example',
      422,
      { site: ['site must be an address with http or https: is https://news.acme.example meant?'] },
    ],
    ['a host that is none', `site=${site}&host=x`, 422, { host: [noHost] }],
    ['both', 'site=x&host=', 422, { site: [noSite], host: [noHost] }],
    ['site twice', `site=${site}&site=${site}`, 400, { site: ['Send site once.'] }],
    ['host twice', `site=${site}&host=a.example&host=a.example`, 400, { host: ['Send host once.'] }],
    [
      'what JSON:API reserves',
      `site=${site}&include=client`,
      400,
      { include: ['include is not supported here. site and host are.'] },
    ],
  ])('%s', async ([, query, status, errors]) => {
    const answer = await ask('partner', query)
    expect([answer.statusCode, answer.json()]).toEqual([
      status,
      { message: Object.values(errors)[0]?.[0], errors },
    ])
    expect(answer.headers['content-type']).toBe('application/json')
  })
})
