import { describe, expect, test } from 'vitest'
import { noHooks } from '../../testing/platform.ts'
import { HOST_FORM, key, TOKEN_FORM, tenant, useRefusedFiles } from '../../testing/use-refused-files.ts'
import { listTenants } from '../tenants.store.ts'
import { PlatformFileError } from './problems.ts'

const files = useRefusedFiles()
const { refusal } = files

describe('a platform file is refused', () => {
  test.for<[string, string, string[]]>([
    ['that is no YAML', 'tenants:\n  - slug: [a\n', ['3: Flow sequence in block collection must be']],
    ['with a field twice', 'operators: []\noperators: []\n', ['2: Map keys must be unique']],
    ['of two documents', 'operators: []\n---\noperators: []\n', ['2: Source contains multiple documents']],
    ['that is a list', '- a\n', ['1: the file must be a set of fields']],
    ['that is a text', 'hello\n', ['1: the file must be a set of fields']],
    ['with an unknown field', 'tennants: []\n', ['1: tennants is an unknown field']],
    [
      'with an unknown field of a tenant',
      tenant('colour: red'),
      ['5: tenants[0].colour is an unknown field'],
    ],
    [
      'with a field named __proto__',
      tenant('__proto__: {}'),
      ['5: tenants[0].__proto__ is an unknown field'],
    ],
    [
      'with branding of no known form',
      tenant(
        'branding:\n  color: red\n  logo_url: http://acme.example/logo.svg\n  languages: [en, en, xx]\n  font: x',
      ),
      [
        '6: tenants[0].branding.color must be a color like "#8b1e3f"',
        '7: tenants[0].branding.logo_url must be an https URL',
        '8: tenants[0].branding.languages[2] must be one of en, de, fr, es',
        '8: tenants[0].branding.languages[1] is named twice',
        '9: tenants[0].branding.font is an unknown field',
      ],
    ],
    [
      'with a logo at no address',
      tenant('branding: { logo_url: "https://[" }'),
      ['5: tenants[0].branding.logo_url is no URL'],
    ],
    [
      'with a sender that could hold another header',
      tenant('mail_from: "Acme <a@acme.example>\\r\\nBcc: all@acme.example"'),
      ['5: tenants[0].mail_from must be a mail address, or a name with one'],
    ],
    [
      'with a sign-up that there is not',
      tenant('sign_up: half'),
      ['5: tenants[0].sign_up must be one of open, closed'],
    ],
    [
      'with no login method',
      tenant('login_methods: []'),
      ['5: tenants[0].login_methods leaves members no way to sign in: there is no social provider'],
    ],
    [
      'with a password',
      tenant('login_methods: [password]'),
      ['5: tenants[0].login_methods[0] must be one of'],
    ],
    [
      "with another's cookie domain",
      tenant('cookie_domain: a.b'),
      ["5: tenants[0].cookie_domain must be the tenant's domain acme.example or a parent of it"],
    ],
    [
      'with a public suffix for a cookie domain',
      tenant('cookie_domain: example'),
      ['5: tenants[0].cookie_domain is a public suffix'],
    ],
    [
      'with a dot before the cookie domain',
      tenant('cookie_domain: .acme.example'),
      ['5: tenants[0].cookie_domain must be a host name alone, like example.com, without a leading dot'],
    ],
    [
      'with a token lifetime of a second',
      tenant('access_token_ttl_s: 1'),
      ['5: tenants[0].access_token_ttl_s must be at least 60'],
    ],
    [
      'with a client without redirect URIs',
      tenant('clients: [{ client_id: a, name: A }]'),
      ['5: tenants[0].clients[0] needs the field redirect_uris'],
    ],
    [
      'with a client that lists none, which is told what it needs as where it has no list',
      tenant('clients: [{ client_id: a, name: A, redirect_uris: [] }]'),
      ['5: tenants[0].clients[0].redirect_uris must have at least one entry'],
    ],
    ['without a domain', 'tenants:\n\n  - slug: a\n    name: b\n', ['3: tenants[0] needs the field domain']],
    ['with a text for a list', 'operators: a@b.example\n', ['1: operators must be a list']],
    ['with nothing for a list', 'tenants:\n', ['1: tenants must be a list']],
    [
      'with a number for a name',
      'tenants: [{ slug: a, name: 1, domain: a.b }]',
      ['1: tenants[0].name must be a text'],
    ],
    [
      'with a slug in capitals',
      'tenants:\n  - slug: Acme\n    name: A\n    domain: a.b',
      ['2: tenants[0].slug must be 1 to 63'],
    ],
    ['with a mail address that is none', 'operators:\n  - ops\n', ['2: operators[0] must be a mail address']],
    [
      'with a mail address of look-alikes',
      'operators: ["оps@example.com"]',
      ['1: operators[0] must be a mail'],
    ],
    [
      'with two mail addresses in one',
      'operators: ["a@b.example,c@d.example"]',
      ['1: operators[0] must be a mail'],
    ],
    [
      'with a line break in a name',
      tenant('').replace('Acme', '"A\\nB"'),
      ['3: tenants[0].name must be 1 to 200'],
    ],
    [
      'with half a character',
      tenant('').replace('Acme', '"A\\ud800"'),
      ['3: tenants[0].name holds half a character'],
    ],
    [
      'with a role that there is not',
      tenant('staff:\n  - email: a@b.example\n    role: owner'),
      ['7: tenants[0].staff[0].role must be one of administrator, viewer'],
    ],
    [
      'with a flag that there is not',
      tenant('flags:\n  - UseQueueEvents\n  - Other'),
      ['7: tenants[0].flags[1] must be one of UseQueueEvents'],
    ],
    [
      'with a flag twice',
      tenant('flags: [UseQueueEvents, UseQueueEvents]'),
      ['5: tenants[0].flags[1] is named twice'],
    ],
    [
      'with a retention of no days',
      tenant('events:\n  retention_days: 0'),
      ['6: tenants[0].events.retention_days must be at least 1'],
    ],
    [
      'with a retention of half a day',
      tenant('events:\n  retention_days: 0.5'),
      [
        '6: tenants[0].events.retention_days must be a whole number',
        '6: tenants[0].events.retention_days must be at least 1',
      ],
    ],
    [
      'with yes for a boolean',
      tenant('events:\n  shorten_addresses: yes'),
      ['6: tenants[0].events.shorten_addresses must be true or false'],
    ],
    [
      'with another treatment of bots',
      tenant('events:\n  bots: keep'),
      ['6: tenants[0].events.bots must be one of mark, drop'],
    ],
    [
      'with a space in the address that hears of logouts',
      tenant(`clients:
  - client_id: partner
    name: Partner
    redirect_uris: [https://partner.example/callback]
    backchannel_logout_uri: "https://partner.example/log out"`),
      [
        '9: tenants[0].clients[0].backchannel_logout_uri must be an address of visible ASCII characters, like https://app.example.com/callback; "" is none',
      ],
    ],
    [
      'with an address for a site host',
      tenant('events:\n  site_hosts: ["https://a.example"]'),
      [`6: tenants[0].events.site_hosts[0] ${HOST_FORM}`],
    ],
  ])('%s', async ([, text, expected]) => {
    const problems = await refusal(text)
    expect(
      problems.map((problem, index) => problem.slice(0, `platform.yaml:${expected[index]}`.length)),
    ).toEqual(expected.map(start => `platform.yaml:${start}`))
  })

  test('where the environment lacks a variable, and says nothing else of that value', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a file says
    const text = key('token: "${NOT_THERE}"').replace('name: Acme', 'name: "${ALSO_NOT} x"')
    expect(await refusal(text)).toEqual([
      'platform.yaml:3: tenants[0].name needs the environment variable ALSO_NOT, which is not set',
      'platform.yaml:8: tenants[0].keys[0].token needs the environment variable NOT_THERE, which is not set',
    ])
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a file says
    expect(await refusal(tenant('').replace('Acme', '"${not a name}"'))).toEqual([
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
      'platform.yaml:3: tenants[0].name names no environment variable: ${not a name}',
    ])
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    expect(await refusal(key('token: "${SHORT}"'), { SHORT: 'short' })).toEqual([
      `platform.yaml:8: tenants[0].keys[0].token ${TOKEN_FORM}`,
    ])
  })

  test('with all of its problems at once, in the order of its lines', async () => {
    const hosts = Array.from({ length: 20 }, (_, index) => `      - bad_${index}.example/`).join('\n')
    const problems = await refusal(
      `${tenant(`flags: [Nope]\naliases:\n${hosts.slice(4).replaceAll('\n    ', '\n')}`)}\nplatform_keys: [{ name: k, token: short, more: 1 }]\n`,
    )
    expect(problems.map(problem => Number(problem.split(':')[1]))).toEqual([
      5,
      ...Array.from({ length: 20 }, (_, index) => 7 + index),
      27,
      27,
    ])
  })

  test('when anchors repeat themselves without end', async () => {
    expect(await refusal('tenants: &all\n  - *all\n')).toEqual([
      'platform.yaml:1: this is larger than any platform; is it the right file?',
    ])
  })

  test('and nothing of it was applied', async () => {
    await refusal(`operators: [new@example.com]\n${tenant('aliases: [kept.example]')}`)
    expect((await listTenants(files.database.db)).map(({ slug }) => slug)).toEqual(['kept'])
  })

  test('when it cannot be read', async () => {
    const { applyPlatformFile } = await import('./apply-platform-file.ts')
    const applied = applyPlatformFile({
      db: files.database.db,
      hooks: noHooks,
      platformHost: 'platform.localhost',
      actor: { kind: 'system', name: 'test' },
      now: new Date(),
      env: {},
      file: '/nowhere/platform.yaml',
    })
    await expect(applied).rejects.toThrow(
      new PlatformFileError([
        'The platform file /nowhere/platform.yaml cannot be read (ENOENT). Check its path.',
      ]),
    )
  })
})
