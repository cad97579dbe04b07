import { describe, expect, test } from 'vitest'
import {
  HOST_FORM,
  keptToken,
  key,
  TOKEN_FORM,
  tenant,
  useRefusedFiles,
} from '../../testing/use-refused-files.ts'
import { makeToken } from '../key-token.ts'

const { refusal } = useRefusedFiles()

describe('a platform file is refused', () => {
  test.for([
    ['https://acme.example', HOST_FORM],
    ['acme.example:3000', HOST_FORM],
    ['acme.example/', HOST_FORM],
    ['acme.example.', HOST_FORM],
    ['acme..example', HOST_FORM],
    ['-acme.example', HOST_FORM],
    ['"*.example"', HOST_FORM],
    ['""', HOST_FORM],
    [`${'a'.repeat(64)}.example`, HOST_FORM],
    ['platform.localhost', "is the platform's own host"],
    ['Other.platform.localhost', 'is kept for the tenant with the slug other'],
    ['kept.example', 'belongs to the tenant kept'],
    ['ALIAS.kept.example', 'belongs to the tenant kept'],
  ])('at the domain %s', async ([domain, message]) => {
    expect(await refusal(tenant('').replace('acme.example', String(domain)))).toEqual([
      `platform.yaml:4: tenants[0].domain ${message}`,
    ])
    expect(await refusal(tenant(`aliases:\n  - a.example\n  - ${domain}`))).toEqual([
      `platform.yaml:7: tenants[0].aliases[1] ${message}`,
    ])
  })

  test('at a domain beyond ASCII, with the form to write', async () => {
    expect(await refusal(tenant('').replace('acme.example', 'bücher.example'))).toEqual([
      `platform.yaml:4: tenants[0].domain ${HOST_FORM}`,
      'platform.yaml:4: tenants[0].domain must be written as xn--bcher-kva.example',
    ])
  })

  test('at a host that two tenants or fields name', async () => {
    const message = 'is named twice; a host belongs to one tenant, once'
    expect(await refusal(tenant('aliases: [ACME.example]'))).toEqual([
      `platform.yaml:5: tenants[0].aliases[0] ${message}`,
    ])
    expect(
      await refusal(`${tenant('')}\n  - { slug: b, name: B, domain: b.example, aliases: [acme.example] }`),
    ).toEqual([`platform.yaml:6: tenants[1].aliases[0] ${message}`])
  })

  test.for([
    ['token: short', `8: tenants[0].keys[0].token ${TOKEN_FORM}`],
    [`token: ${'x'.repeat(31)}`, `8: tenants[0].keys[0].token ${TOKEN_FORM}`],
    [`token: "${'x y '.repeat(10)}"`, `8: tenants[0].keys[0].token ${TOKEN_FORM}`],
    [`token: ${keptToken}`, '8: tenants[0].keys[0].token is the token of another key'],
    [
      `token: usher_org_${'x'.repeat(38)}`,
      '8: tenants[0].keys[0].token has the prefix of a made token, but its checksum does not fit',
    ],
    [
      `token: ${makeToken('platform')}`,
      '8: tenants[0].keys[0].token has the prefix of the other kind of key',
    ],
    ['abilities: []', '8: tenants[0].keys[0].abilities must not be empty; leave it out instead'],
    [
      'abilities: [events:write]',
      '8: tenants[0].keys[0].abilities[0] must be one of events:read, events:delete, health:read, admin:read, admin:write',
    ],
    [
      'expires_at: tomorrow',
      '8: tenants[0].keys[0].expires_at must be a day like 2027-12-31, or a time with its offset like 2027-12-31T12:00:00Z',
    ],
    ['expires_at: 2027-02-30', '8: tenants[0].keys[0].expires_at is no day or time that exists'],
    ['expires_at: 2027-02-01T25:00Z', '8: tenants[0].keys[0].expires_at is no day or time that exists'],
    [
      'expires_at: 2027-02-01T12:00:00',
      '8: tenants[0].keys[0].expires_at must be a day like 2027-12-31, or a time with its offset like 2027-12-31T12:00:00Z',
    ],
    [
      'user: b@acme.example',
      "8: tenants[0].keys[0].user must be of the tenant's staff or an operator; b@acme.example is not",
    ],
    [
      'user: kept@kept.example',
      "8: tenants[0].keys[0].user must be of the tenant's staff or an operator; kept@kept.example is not",
    ],
  ])('at a key with %s', async ([fields, expected]) => {
    expect(await refusal(key(String(fields)))).toEqual([`platform.yaml:${expected}`])
  })

  test('at a key that nobody could own', async () => {
    expect(await refusal(tenant('keys:\n  - name: k'))).toEqual([
      'platform.yaml:6: tenants[0].keys[0] needs the field user: there is nobody it could belong to',
    ])
    expect(await refusal('platform_keys:\n  - name: k\n')).toEqual([
      'platform.yaml:2: platform_keys[0] needs the field operator: there is nobody it could belong to',
    ])
    expect(await refusal('platform_keys:\n  - name: k\n    operator: kept@kept.example\n')).toEqual([
      'platform.yaml:3: platform_keys[0].operator must be an operator; kept@kept.example is not',
    ])
  })

  test('at what is named twice', async () => {
    const twice = `operators: [a@b.example, A@b.example]
platform_keys:
  - { name: k, token: ${'t'.repeat(32)} }
  - { name: k, token: ${'t'.repeat(32)} }
tenants:
  - { slug: a, name: A, domain: a.example }
  - { slug: a, name: B, domain: b.example, staff: [{ email: a@b.example, role: viewer }, { email: a@b.example, role: administrator }] }
`
    expect(await refusal(twice)).toEqual([
      'platform.yaml:1: operators[1] is named twice',
      'platform.yaml:4: platform_keys[1].name is named twice',
      'platform.yaml:4: platform_keys[1].token is the token of another key of this file',
      'platform.yaml:7: tenants[1].slug is named twice',
      'platform.yaml:7: tenants[1].staff[1].email is named twice',
    ])
  })
})
