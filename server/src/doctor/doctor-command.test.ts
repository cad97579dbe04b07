import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSecrets } from '../foundation/secrets/index.ts'
import { clientHooks } from '../oauth/index.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { TEST_SECRET_KEY } from '../testing/members.ts'
import { applyTestPlatform } from '../testing/platform.ts'
import { readDoctorCommand } from './doctor-command.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await applyTestPlatform(
    database,
    JSON.stringify({
      tenants: [
        {
          slug: 'acme',
          name: 'Acme Daily',
          domain: 'members.acme.example',
          aliases: ['accounts.acme.example'],
          cookie_domain: 'acme.example',
          clients: [
            {
              client_id: 'partner',
              name: 'Partner',
              redirect_uris: ['https://app.partner.example/callback'],
              allowed_origins: ['https://news.acme.example', 'http://blog.acme.example'],
              pkce_required: true,
            },
          ],
        },
      ],
    }),
    { hooks: clientHooks },
  )
})
afterAll(() => database.drop())

async function usher(...args: string[]) {
  const run = readDoctorCommand(args)
  if (typeof run !== 'function') throw new Error(`not understood: ${args.join(' ')}`)
  const printed: string[] = []
  const complaints: string[] = []
  const code = await run({
    db: database.db,
    secrets: openSecrets([TEST_SECRET_KEY]),
    publicUrl: new URL('https://platform.example'),
    now: new Date('2026-05-01T12:00:00Z'),
    print: line => printed.push(line),
    complain: line => complaints.push(line),
  })
  return { code, printed, complaints }
}
const silent = (site: string, ...more: string[]) =>
  usher('doctor', 'silent', '--tenant', 'acme', '--client', 'partner', '--site', site, ...more)
const live = expect.stringMatching(/^https:\/\/members\.acme\.example\/silent-sign-in\/check\?ticket=[\w-]+$/)

describe('usher doctor silent', () => {
  test('says that a set-up works: exit code 0', async () => {
    const { code, printed, complaints } = await silent('https://news.acme.example')
    expect([code, complaints]).toEqual([0, []])
    expect(printed).toEqual([
      'Client partner on https://news.acme.example, which asks https://members.acme.example',
      '',
      '✔ Tenant         The address of Acme Daily is https://members.acme.example, by USHER_PUBLIC_URL (USHER_PORT where that is not set).',
      '✔ Client         Client partner is enabled.',
      "✔ Site           https://news.acme.example is what browsers send as the site's origin.",
      '✔ TLS            Site and tenant are under https.',
      '✔ Same site      news.acme.example and members.acme.example are same-site: both belong to acme.example.',
      '✔ Cookie Domain  The Cookie Domain acme.example covers news.acme.example and members.acme.example.',
      '✔ Origin         https://news.acme.example is an allowed origin of client partner.',
      '! PKCE           Client partner requires PKCE: prompt=none without a code_challenge is answered with invalid_request. The probe needs none. (pkce_without_challenge)',
      '                 → Send code_challenge and code_challenge_method=S256 with prompt=none.',
      '',
      'Silent sign-in can work on https://news.acme.example. Mind the notes.',
      'prompt=none works as a redirect of the whole window to /oauth/authorize, also from another site; never in a frame. It comes back to https://app.partner.example/callback; none is on this site: to use it here, register one below https://news.acme.example.',
      'See what your browser really does, within an hour:',
      live,
    ])
  })

  test('says everything that is wrong and what to change: exit code 1', async () => {
    const { code, printed } = await silent('https://blog.acme.example', '--host', 'accounts.acme.example')
    expect(code).toBe(1)
    expect(printed.filter(line => /^[✘!] |→/.test(line.replace('                 ', '')))).toEqual([
      '✘ Host           accounts.acme.example is an alias: it answers the probe with a redirect without CORS headers, which browsers report as a CORS error. (host_is_alias)',
      "                 → Use https://members.acme.example on the site. A page that only loads the SDK's files from the alias works all the same, as they ask there by themselves: leave the host out.",
      '✘ Origin         https://blog.acme.example is no allowed origin of client partner. http://blog.acme.example is registered, the scheme differs. (origin_scheme_differs)',
      '                 → Add https://blog.acme.example to the allowed origins of client partner (allowed_origins in the platform file).',
      expect.stringContaining('(pkce_without_challenge)'),
      expect.stringContaining('→ Send code_challenge'),
    ])
    expect(printed).toContain(
      'Silent sign-in cannot work on https://blog.acme.example yet: 2 things have to change.',
    )
    const one = await silent('https://blog.acme.example')
    expect(one.printed.join('\n')).toContain('yet: 1 thing has to change.')
  })

  test('prints the same as JSON, as the API answers it', async () => {
    const { code, printed } = await silent('https://blog.acme.example', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(printed.join('\n'))).toMatchObject({
      data: {
        id: 'partner',
        type: 'silent-sign-in-reports',
        attributes: {
          works: false,
          prompt_none_works: true,
          findings: [{ code: 'origin_scheme_differs', check: 'origin' }, { code: 'pkce_without_challenge' }],
        },
        links: { live_check: live },
      },
    })
  })

  test('takes options in any order and with =', async () => {
    const { code } = await usher(
      'doctor',
      'silent',
      '--json',
      '--site=https://news.acme.example/?a=b',
      '--client=partner',
      '--tenant=acme',
    )
    expect(code).toBe(0)
  })

  test('names what an unknown tenant or client could be', async () => {
    const asked = ['--site', 'https://news.acme.example'] as const
    expect(await usher('doctor', 'silent', '--tenant', 'acne', '--client', 'x', ...asked)).toEqual({
      code: 1,
      printed: [],
      complaints: ['There is no tenant with the slug acne. Did you mean acme?'],
    })
    expect(
      (await usher('doctor', 'silent', '--tenant', 'zzzzzzz', '--client', 'x', ...asked)).complaints,
    ).toEqual(['There is no tenant with the slug zzzzzzz.'])
    const { code, printed } = await usher(
      'doctor',
      'silent',
      '--tenant',
      'acme',
      '--client',
      'partners',
      ...asked,
    )
    expect(code).toBe(1)
    expect(printed).toContain('✘ Client         Tenant acme has no client partners. (client_unknown)')
    expect(printed).toContain(
      '                 → Did you mean partner? It is compared letter by letter, also upper and lower case.',
    )
    expect(printed).toContain('prompt=none does not work either.')
  })

  test('of a suspended tenant names no live check, which would not open', async () => {
    await database.pool.query('update tenants set suspended_at = now()')
    const { code, printed } = await silent('https://news.acme.example')
    await database.pool.query('update tenants set suspended_at = null')
    expect(code).toBe(1)
    expect(printed).toContain('                 → Let it go on: usher resume acme')
    expect(printed.join('\n')).not.toContain('ticket=')
  })

  const all = ['--tenant', 'acme', '--client', 'partner', '--site', 'https://news.acme.example']
  test.for([
    [],
    ['doctor'],
    ['doctor', 'loud', ...all],
    ['doctor', 'silent'],
    ['doctor', 'silent', ...all.slice(0, 4)],
    ['doctor', 'silent', ...all, '--host'],
    ['doctor', 'silent', ...all, '--host', '--json'],
    ['doctor', 'silent', ...all, '--site', 'https://a.example'],
    ['doctor', 'silent', ...all, '--colour', 'red'],
    ['doctor', 'silent', ...all, '--json=yes'],
    ['doctor', 'silent', ...all, 'more'],
    ['doctor', 'silent', '--tenant=', ...all.slice(2)],
  ])('%j is not understood', args => expect(readDoctorCommand(args)).toBeUndefined())

  test.for([
    [
      ['--site', 'news.acme.example'],
      /^--site must be an address with http or https: is https:\/\/news\.acme\.example meant\?$/,
    ],
    [['--site', 'x'], /^--site must be an address with http or https, such as /],
    [['--site', 'https://news.acme.example', '--host', 'x'], /^--host must be a host, such as /],
  ] as const)('a wrong value is told: %j', ([args, message]) =>
    expect(readDoctorCommand(['doctor', 'silent', ...all.slice(0, 4), ...args])).toMatch(message),
  )
})
