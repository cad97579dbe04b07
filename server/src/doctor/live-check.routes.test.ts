import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSecrets } from '../foundation/secrets/index.ts'
import { createOAuthPlatform, hostOf, type OAuthPlatform } from '../testing/oauth-platform.ts'
import { wordsOf } from '../testing/visitor.ts'
import { platformHost, tokens } from '../testing/whole-platform.ts'
import { readAskedHost, readSite } from './addresses.ts'
import { liveCheckAddress } from './live-check-ticket.ts'

let platform: OAuthPlatform
beforeAll(async () => {
  platform = await createOAuthPlatform({ USHER_PUBLIC_URL: `https://${platformHost}` })
})
afterAll(() => platform.close())

const site = 'https://news.acme.example'
const path = '/silent-sign-in/check'
interface TicketOptions {
  client?: string
  site?: string
  host?: string
  slug?: 'acme' | 'globe'
  agedS?: number
  key?: Buffer
}

/** The path of a live check, as the doctor makes it. */
function check(options: TicketOptions = {}): string {
  const { client = 'partner', slug = 'acme', agedS = 0, key = Buffer.alloc(32, 7) } = options
  const address = readSite(options.site ?? site)
  if (!address) throw new Error('That is no site.')
  const made = liveCheckAddress(
    {
      secrets: openSecrets([key]),
      publicUrl: new URL(`https://${platformHost}`),
      nowMs: Date.now() - agedS * 1_000,
    },
    platform.tenants[slug],
    {
      clientId: client,
      site: address,
      host: options.host === undefined ? undefined : readAskedHost(options.host),
    },
  )
  return made.slice(made.indexOf(path))
}
const open = (url: string, { cookie = '', host = hostOf() } = {}) =>
  platform.request(host, { url, headers: cookie === '' ? {} : { cookie } })
const templateOf = (body: string, outcome: string) => {
  const [, template = ''] =
    new RegExp(`<template data-outcome="${outcome}">(.*?)</template>`, 's').exec(body) ?? []
  return wordsOf(`<main${template}`).replace('<main', '')
}

const pageHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  'content-type': 'text/html; charset=utf-8',
}

describe('GET /silent-sign-in/check with a ticket', () => {
  test('of the API shows what was found, with every header', async () => {
    const report = await platform.request(hostOf(), {
      url: `/api/v1/oauth-clients/partner/silent-sign-in?site=${site}/articles`,
      key: tokens.acme,
    })
    const { live_check: liveCheck } = report.json().data.links
    const answer = await open(liveCheck.slice(`https://${hostOf()}`.length))
    expect(answer.statusCode).toBe(200)
    const { date: _date, connection: _connection, 'x-request-id': _id, ...headers } = answer.headers
    const sources = [...answer.body.matchAll(/<style>(.*?)<\/style>/gs)].map(
      ([, css = '']) => `'sha256-${createHash('sha256').update(css).digest('base64')}'`,
    )
    expect(sources).toHaveLength(2)
    expect(headers).toEqual({
      ...pageHeaders,
      'content-length': String(answer.rawPayload.length),
      'content-security-policy': `default-src 'none'; style-src ${sources.join(' ')}; script-src 'self'; base-uri 'none'; frame-ancestors 'self'`,
    })
    expect(answer.body.match(/<script[^>]*>/g)).toEqual(['<script src="/silent-sign-in/check.js" defer>'])
    const words = wordsOf(answer.body)
    for (const said of [
      'Silent sign-in check',
      'Client partner on https://news.acme.example , which asks https://members.acme.example',
      'Silent sign-in can work on https://news.acme.example. Mind the notes.',
      'https://news.acme.example is an allowed origin of client partner.',
      'To change: Write https://news.acme.example where an origin is asked for',
      'site_not_an_origin',
      'This browser sent no session cookie',
      'Open https://news.acme.example and check',
      'This part needs JavaScript.',
      'asks once more, with client partner , whatever the page',
      '7 checks passed',
    ])
      expect(words).toContain(said)
    // The page that was named is the one to open.
    expect(answer.body).toContain('data-page="https://news.acme.example/articles"')
    expect(answer.body).toContain('<html lang="en">')
    expect(answer.body.match(/<h1/g)).toHaveLength(1)
    // What is wrong, or to be noted, is not folded.
    expect(answer.body.indexOf('site_not_an_origin')).toBeLessThan(answer.body.indexOf('<details'))
    expect(answer.body.split('<details')[1]?.split('</details>')[0]?.match(/<li>/g)).toHaveLength(7)
    // Addresses are broken before a label or a port.
    expect(answer.body).toContain('Open https://<wbr>news<wbr>.acme<wbr>.example and check')
  })

  test('shows the findings as they are now, not as they were when it was made', async () => {
    const url = check({ client: 'closed' })
    expect(wordsOf((await open(url)).body)).toContain('Client closed has no allowed origins')
    await platform.request(hostOf(), {
      method: 'PATCH',
      url: '/api/v1/oauth-clients/closed',
      key: tokens.acme,
      payload: { data: { type: 'oauth-clients', attributes: { allowed_origins: [site] } } },
    })
    expect(wordsOf((await open(url)).body)).toContain('Silent sign-in can work on https://news.acme.example.')
  })

  test('knows the port at which the site asks', async () => {
    const words = async (host: string) => wordsOf((await open(check({ host }))).body)
    expect(await words('members.acme.example:443')).toContain('Silent sign-in can work')
    expect(await words('members.acme.example:8443')).toContain('host_origin_differs')
  })

  test('writes lines for the console that name client and address', async () => {
    const { body } = await open(check())
    expect(wordsOf(body)).toContain(
      `fetch("https://members.acme.example/oauth/session?client_id=partner", { credentials: 'include' })`,
    )
    expect(body).not.toMatch(/\son\w+=|javascript:|style=/)
  })

  test('leads from an alias to the canonical domain', async () => {
    const url = check()
    const answer = await open(url, { host: 'accounts.acme.example' })
    expect([answer.statusCode, answer.headers.location]).toEqual([302, `https://members.acme.example${url}`])
  })

  test('shows what is asked for as text, whatever it is', async () => {
    const evil = `https://news.acme.example/"'><script>alert(1)</script>`
    const { body } = await open(check({ client: `"'><script>alert(1)</script>`, site: evil }))
    expect(body.match(/<script[^>]*>/g)).toEqual(['<script src="/silent-sign-in/check.js" defer>'])
    expect((await open(check({ site: `${site}/?a=1&lt=2` }))).body).toContain(
      `data-page="${site}/?a&#61;1&#38;lt&#61;2"`,
    )
    expect(body).toContain('Tenant acme has no client &#34;&#39;&#62;&#60;script&#62;')
  })
})

describe('what this browser sent', () => {
  const saysOfBrowser = async (cookie: string) => wordsOf((await open(check(), { cookie })).body)

  test('a session cookie that counts', async () => {
    const { cookie } = await platform.signIn()
    const words = await saysOfBrowser(cookie)
    expect(words).toContain(
      'This browser sent a session cookie, and it counts: member@acme.example is signed in here.',
    )
    expect(words).not.toContain('do not look at it')
  })

  test('one that is another tenant’s, ended, or no token at all', async () => {
    const { cookie: ofGlobe } = await platform.signIn('globe')
    const ended = await platform.signIn()
    await platform.members.endSession(platform.tenants.acme.id, { ...ended, now: new Date() })
    for (const cookie of [ofGlobe, ended.cookie, '_SERVICET=x'])
      expect(await saysOfBrowser(cookie)).toContain(
        'This browser sent a session cookie, but none that counts: expired, ended, or no device',
      )
  })

  test('several, one of them planted', async () => {
    const { cookie } = await platform.signIn()
    expect(await saysOfBrowser(`_SERVICET=planted; ${cookie}`)).toContain(
      'This browser sent 2 session cookies, of which the newest good one counts: member@acme.example',
    )
  })

  test('one that does not count for the probe, as the Cookie Domain is blank', async () => {
    const { cookie } = await platform.signIn('globe')
    const answer = await open(check({ slug: 'globe' }), { cookie, host: hostOf('globe') })
    const words = wordsOf(answer.body)
    expect(words).toMatch(
      /This browser sent a session cookie: \S+ is signed in here\. The probe and prompt=none do not look at it, as the Cookie Domain is blank\./,
    )
    expect(words).not.toContain('it counts')
  })
})

describe('each outcome is interpreted together with the findings and this browser', () => {
  const signedIn = async () => ({ cookie: (await platform.signIn()).cookie })

  test('where all is well', async () => {
    const { body } = await open(check(), await signedIn())
    expect(templateOf(body, 'authenticated')).toBe(
      'The site knows that you are signed in The site was told that you are signed in, without a page and without a click. Asked with client partner. If your page greets nobody, compare its clientId, and the exchange on your server.',
    )
    expect(templateOf(body, 'authenticated_without_cookie')).toContain('Sign out and in again')
    expect(templateOf(body, 'unauthenticated')).toContain('did not send its session cookie along')
    expect(templateOf(body, 'limited')).toContain('asked more often than the limits allow (429)')
    expect(templateOf(body, 'failed')).toContain('connect-src https://members.acme.example')
    expect(templateOf(body, 'no_answer')).toContain(
      'the sign-in file of the SDK is not on https://news.acme.example/',
    )
    expect(templateOf(body, 'pop_up_blocked')).toContain('Allow pop-ups for this page')
    expect(templateOf(body, 'waiting')).toBe('Waiting for the site to answer…')
    expect(templateOf(body, 'slow')).toContain(
      'the sign-in file of the SDK on that page, and loaded from https://members.acme.example?',
    )
  })

  test('where something is wrong', async () => {
    const { body } = await open(check({ client: 'neighbour' }), await signedIn())
    expect(templateOf(body, 'failed')).toContain('The checks above say why, and what to change.')
    expect(templateOf(body, 'unauthenticated')).toContain('The checks above say why, and what to change.')
    expect(templateOf(body, 'authenticated')).toContain('answered all the same')
  })

  test('where nobody is signed in', async () => {
    const { body } = await open(check())
    expect(templateOf(body, 'unauthenticated')).toContain('That is right')
    expect(templateOf(body, 'unauthenticated')).toContain('Sign in at https://members.acme.example/account')
    expect(templateOf(body, 'unauthenticated_without_cookie')).not.toContain('Sign out and in again')
    const wrong = await open(check({ client: 'neighbour' }))
    expect(templateOf(wrong.body, 'unauthenticated')).toContain('not signed in here either. The checks above')
  })
})

describe('strangers learn nothing', () => {
  test.for<[string, () => string, number]>([
    ['no ticket', () => path, 404],
    ['an empty one', () => `${path}?ticket=`, 404],
    ['a guess', () => `${path}?ticket=${'A'.repeat(200)}`, 404],
    ['one that is no base64url', () => `${path}?ticket=${encodeURIComponent('<script>')}`, 404],
    ['a very long one', () => `${path}?ticket=${'A'.repeat(9_000)}`, 404],
    ['one that was changed', () => check().replace(/.$/, last => (last === 'A' ? 'B' : 'A')), 404],
    ['one of another tenant', () => check({ slug: 'globe' }), 404],
    ['one that another secret key sealed', () => check({ key: Buffer.alloc(32, 8) }), 404],
    ['one whose hour is over', () => check({ agedS: 3_600 }), 410],
  ])('by %s', async ([, url, status]) => {
    const { cookie } = await platform.signIn()
    const answer = await open(url(), { cookie })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers).toMatchObject(pageHeaders)
    expect(answer.headers['content-security-policy']).not.toContain('script-src')
    const words = wordsOf(answer.body)
    expect(words).toContain(status === 410 ? 'This check is over' : 'There is no such check')
    expect(words).toContain('npx usher doctor silent')
    for (const secret of ['partner', 'news.acme.example', 'member@acme.example', 'cookie_domain'])
      expect(answer.body).not.toContain(secret)
  })

  test('and one is good to the last second of its hour', async () => {
    expect((await open(check({ agedS: 3_590 }))).statusCode).toBe(200)
  })

  test('at a host that is no tenant’s, or a suspended one’s', async () => {
    const url = check()
    expect((await open(url, { host: platformHost })).statusCode).toBe(404)
    expect((await open(url, { host: 'nobody.example' })).statusCode).toBe(404)
  })
})

test('the script holds nothing of anybody', async () => {
  const { body, headers } = await open('/silent-sign-in/check.js')
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(body).toContain("'usher-check'")
  expect(body).not.toMatch(/innerHTML|eval|document\.write|acme/)
})
