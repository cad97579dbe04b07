import { describe, expect, test } from 'vitest'
import { useAppliedFiles } from '../../testing/use-applied-files.ts'
import { listHostnames } from '../hostnames.store.ts'
import { hashToken } from '../key-token.ts'
import { listKeys } from '../keys.store.ts'
import { listTenantStaff } from '../staff.store.ts'

const files = useAppliedFiles()
const { getTenant, declare, apply } = files

describe('usher apply (decisions, "First start, and configuration")', () => {
  test('takes a named list of aliases or flags as the whole list', async () => {
    await apply(
      declare(`aliases: [a.${files.slug}.localhost, b.${files.slug}.localhost]\nflags: [UseQueueEvents]`),
    )
    const calls: unknown[] = []
    const { changes } = await apply(
      declare(`aliases: [b.${files.slug}.localhost, c.${files.slug}.localhost]\nflags: []`),
      {
        tenantCreated: async () => {},
        flagChanged: async (_trx, _tenantId, flag, active) => void calls.push([flag, active]),
      },
    )
    expect(changes).toEqual([
      `tenant ${files.slug}: alias c.${files.slug}.localhost added`,
      `tenant ${files.slug}: alias a.${files.slug}.localhost removed`,
      `tenant ${files.slug}: flag UseQueueEvents off`,
    ])
    expect(calls).toEqual([['UseQueueEvents', false]])
    expect(
      (await listHostnames(files.database.db, (await getTenant(files.slug)).id)).map(({ host }) => host),
    ).toEqual([`b.${files.slug}.localhost`, `c.${files.slug}.localhost`, `members.${files.slug}.localhost`])
  })

  test('changes a domain to one that was an alias, and keeps the old one as an alias', async () => {
    await apply(declare(`aliases: [new.${files.slug}.localhost]`))
    const { changes } = await apply(
      declare(`aliases: [members.${files.slug}.localhost]`).replace(`domain: members`, 'domain: new'),
    )
    expect(changes).toEqual([
      `tenant ${files.slug}: domain changed from members.${files.slug}.localhost to new.${files.slug}.localhost`,
      `tenant ${files.slug}: alias members.${files.slug}.localhost added`,
    ])
    expect((await getTenant(files.slug)).domain).toBe(`new.${files.slug}.localhost`)
  })

  test('moves a host from one tenant to another in one file', async () => {
    const other = `${files.slug}-b`
    await apply(declare(`aliases: [shared.${files.slug}.localhost]`))
    await apply(declare('', other))
    const { changes } = await apply(
      declare('aliases: []') +
        declare(`aliases: [shared.${files.slug}.localhost]`, other).replace('\ntenants:', ''),
    )
    expect(changes).toEqual([
      `tenant ${files.slug}: alias shared.${files.slug}.localhost removed`,
      `tenant ${other}: alias shared.${files.slug}.localhost added`,
    ])
  })

  test('makes a token where none is given, shows it once, and keeps the key from then on', async () => {
    const text =
      declare(`staff: [{ email: a@${files.slug}.example, role: viewer }, { email: b@${files.slug}.example, role: administrator }]
keys: [{ name: consumer }]`)
    const { madeKeys } = await apply(text)
    expect(madeKeys).toEqual([
      { name: 'consumer', tenant: files.slug, token: expect.stringMatching(/^usher_org_[0-9A-Za-z]{38}$/) },
    ])
    const tenant = await getTenant(files.slug)
    const [key] = await listKeys(files.database.db, tenant.id)
    expect(key?.tokenHash.toString('base64url')).toBe(hashToken(madeKeys[0]?.token ?? ''))
    const administrator = (await listTenantStaff(files.database.db, tenant.id)).find(
      ({ role }) => role === 'administrator',
    )
    expect(key?.userId).toBe(administrator?.id)
    expect((await apply(text)).madeKeys).toEqual([])
  })

  test('replaces a key whose token changes, and never takes a revoked token back', async () => {
    const text = (token: string) =>
      declare(
        `staff: [{ email: a@${files.slug}.example, role: administrator }]\nkeys: [{ name: k, token: ${token} }]`,
      )
    const [first, second] = [`first-${files.slug}`.padEnd(32, '1'), `second-${files.slug}`.padEnd(32, '2')]
    await apply(text(first))
    expect((await apply(text(second))).changes).toEqual([`tenant ${files.slug}: key k has another token`])
    const keys = await listKeys(files.database.db, (await getTenant(files.slug)).id)
    expect(keys.map(({ revokedAt }) => revokedAt !== null)).toEqual([true, false])
    expect(await apply(text(first))).toEqual({
      changes: [],
      notices: [expect.stringMatching(/^tenants\[0\]\.keys\[0\] stays as it is: its token was revoked/)],
      madeKeys: [],
      madeSecrets: [],
    })
  })

  test('signs members in, and shows pages, as declared', async () => {
    await apply(declare(''))
    expect(await getTenant(files.slug)).toMatchObject({
      signIn: {
        signUp: 'open',
        loginMethods: ['magic_link', 'one_time_code'],
        accessTokenTtlS: 2_592_000,
        mailFrom: null,
      },
      branding: { color: null, logoUrl: null, languages: [] },
    })
    const all = declare(`sign_up: closed
login_methods: [one_time_code]
access_token_ttl_s: 3600
mail_from: Acme Daily <hello@acme.example>
branding: { color: "#8B1E3F", logo_url: "https://acme.example/logo.svg", languages: [de, en] }`)
    const expected = {
      signIn: {
        signUp: 'closed',
        loginMethods: ['one_time_code'],
        accessTokenTtlS: 3_600,
        mailFrom: 'Acme Daily <hello@acme.example>',
      },
      branding: { color: '#8b1e3f', logoUrl: 'https://acme.example/logo.svg', languages: ['de', 'en'] },
    }
    expect((await apply(all)).changes).toEqual([
      `tenant ${files.slug}: signing in changed`,
      `tenant ${files.slug}: look of the pages changed`,
    ])
    expect(await getTenant(files.slug)).toMatchObject(expected)
    expect((await apply(all)).changes).toEqual([])
    await apply(declare('branding: {}'))
    expect(await getTenant(files.slug)).toMatchObject(expected)
  })

  test('shares the cookie on the declared domain, keeps that, and takes it back with ""', async () => {
    const shared = `${files.slug}.example`
    const at = (domain: string, fields = '') =>
      `tenants:\n  - { slug: ${files.slug}, name: N, domain: ${domain}${fields} }`
    expect((await apply(at(`a.${shared}`, `, cookie_domain: ${shared.toUpperCase()}`))).changes).toContain(
      `tenant ${files.slug}: cookie domain ${shared}`,
    )
    expect((await apply(at(`b.${shared}`))).changes).toEqual([
      `tenant ${files.slug}: domain changed from a.${shared} to b.${shared}`,
    ])
    expect(await getTenant(files.slug)).toMatchObject({ domain: `b.${shared}`, cookieDomain: shared })
    // A domain that the kept one does not cover would never see its cookie again.
    await expect(apply(at('c.example.org'))).rejects.toThrow(
      `tenants[0].domain is not covered by the tenant's cookie domain ${shared}; declare cookie_domain too`,
    )
    expect(await getTenant(files.slug)).toMatchObject({ domain: `b.${shared}`, cookieDomain: shared })
    expect((await apply(at(`b.${shared}`, ', cookie_domain: ""'))).changes).toEqual([
      `tenant ${files.slug}: cookie domain removed`,
    ])
    expect(await getTenant(files.slug)).toMatchObject({ cookieDomain: null })
  })

  test('changes what belongs to a key beside its token', async () => {
    const text = (terms: string) =>
      declare(`staff: [{ email: a@${files.slug}.example, role: administrator }, { email: b@${files.slug}.example, role: viewer }]
keys: [{ name: k, ${terms} }]`)
    await apply(text('abilities: [health:read]'))
    const { changes } = await apply(
      text(
        `user: b@${files.slug}.example, abilities: [health:read, events:read], expires_at: 2031-01-01T12:00+02:00`,
      ),
    )
    expect(changes).toEqual([`tenant ${files.slug}: key k changed`])
    const tenant = await getTenant(files.slug)
    const [key] = await listKeys(files.database.db, tenant.id)
    expect(key).toMatchObject({
      abilities: ['events:read', 'health:read'],
      expiresAt: new Date('2031-01-01T10:00:00Z'),
    })
  })
})
