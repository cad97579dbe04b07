import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { applyTestPlatform } from '../../testing/platform.ts'
import { listAuditEntries } from '../audit.store.ts'
import { listActiveFlags } from '../feature-flags.store.ts'
import { listHostnames } from '../hostnames.store.ts'
import { hashToken } from '../key-token.ts'
import { listKeys } from '../keys.store.ts'
import { listOperators, listTenantStaff } from '../staff.store.ts'
import type { Tenant } from '../tenant.ts'
import { findTenantBySlug, listTenants } from '../tenants.store.ts'
import type { TenantHooks } from './changes.ts'

const MONITOR_TOKEN = 'monitor-token-of-at-least-32-characters'
const CONSUMER_TOKEN = 'consumer-token-of-at-least-32-characters'
const env = { MONITOR_TOKEN, CONSUMER_TOKEN }

const FULL = `
operators: [Ops@Example.com]
platform_keys:
  - { name: monitor, operator: ops@example.com, token: "\${MONITOR_TOKEN}" }
tenants:
  - slug: acme
    name: Acme Daily
    domain: Members.Acme.localhost
    aliases: [accounts.acme.localhost]
    flags: [UseQueueEvents]
    events: { retention_days: 100, queue_retention_days: 7, shorten_addresses: true, bots: drop, site_hosts: [News.acme.localhost], secret_parameters: [ticket] }
    staff: [{ email: Admin@Acme.example, role: administrator }]
    keys: [{ name: consumer, user: admin@acme.example, token: "\${CONSUMER_TOKEN}", abilities: [events:delete, events:read], expires_at: 2027-12-31 }]
`

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function getTenant(slug: string): Promise<Tenant> {
  const tenant = await findTenantBySlug(database.db, slug)
  if (!tenant) throw new Error(`no tenant ${slug}`)
  return tenant
}

/** A tenant of its own for one test. */
let count = 0
let slug = ''
beforeEach(() => {
  slug = `tenant-${++count}`
})
const declare = (fields: string, at = slug) => `
tenants:
  - slug: ${at}
    name: ${at} name
    domain: members.${at}.localhost
${fields.replace(/^/gm, '    ')}
`
const apply = (text: string, hooks?: Partial<TenantHooks>) =>
  applyTestPlatform(database, text, { env, ...(hooks && { hooks }) })

describe('usher apply (decisions, "First start, and configuration")', () => {
  test('brings an empty platform to what the file declares', async () => {
    const calls: unknown[] = []
    const { changes, madeKeys } = await applyTestPlatform(database, FULL, {
      env,
      hooks: {
        tenantCreated: async (_trx, tenantId) => void calls.push(['created', tenantId]),
        flagChanged: async (_trx, tenantId, flag, active) => void calls.push([flag, tenantId, active]),
      },
    })
    const tenant = await getTenant('acme')
    expect(tenant).toMatchObject({
      name: 'Acme Daily',
      domain: 'members.acme.localhost',
      suspended: false,
      events: {
        retentionDays: 100,
        queueRetentionDays: 7,
        shortenAddresses: true,
        bots: 'drop',
        siteHosts: ['news.acme.localhost'],
        secretParameters: ['ticket'],
      },
    })
    expect(await listHostnames(database.db, tenant.id)).toEqual([
      { host: 'accounts.acme.localhost', canonical: false },
      { host: 'members.acme.localhost', canonical: true },
    ])
    expect(await listActiveFlags(database.db, tenant.id)).toEqual(new Set(['UseQueueEvents']))
    expect(calls).toEqual([
      ['created', tenant.id],
      ['UseQueueEvents', tenant.id, true],
    ])
    expect(await listTenantStaff(database.db, tenant.id)).toMatchObject([
      { email: 'admin@acme.example', role: 'administrator', operator: false },
    ])
    expect(await listOperators(database.db)).toMatchObject([{ email: 'ops@example.com' }])
    const [key] = await listKeys(database.db, tenant.id)
    expect(key).toMatchObject({
      name: 'consumer',
      abilities: ['events:read', 'events:delete'],
      expiresAt: new Date('2027-12-31T00:00:00Z'),
      revokedAt: null,
    })
    expect(key?.tokenHash.toString('base64url')).toBe(hashToken(CONSUMER_TOKEN))
    expect(await listKeys(database.db, null)).toMatchObject([
      { name: 'monitor', expiresAt: null, abilities: expect.arrayContaining(['admin:write']) },
    ])
    expect(madeKeys).toEqual([])
    expect(changes).toEqual([
      'operator ops@example.com added',
      'tenant acme: made, at members.acme.localhost',
      'tenant acme: alias accounts.acme.localhost added',
      'tenant acme: treatment of events changed',
      'tenant acme: flag UseQueueEvents on',
      'tenant acme: administrator admin@acme.example added',
      'tenant acme: key consumer added',
      'key monitor added',
    ])
  })

  test('changes nothing when applied twice, not even the audit trail', async () => {
    await apply(FULL)
    const state = async () => ({
      tenants: await listTenants(database.db),
      keys: [await listKeys(database.db, null), await listKeys(database.db, (await getTenant('acme')).id)],
      trail: [
        await listAuditEntries(database.db, null, 1_000),
        await listAuditEntries(database.db, (await getTenant('acme')).id, 1_000),
      ],
    })
    const before = await state()
    expect(await apply(FULL)).toEqual({ changes: [], notices: [], madeKeys: [], madeSecrets: [] })
    expect(await state()).toEqual(before)
  })

  test('writes each change into the audit trail of its tenant or of the platform, and no token', async () => {
    await apply(FULL)
    const entries = await listAuditEntries(database.db, (await getTenant('acme')).id, 100)
    expect(entries.map(({ action, target }) => [action, target]).toReversed()).toEqual([
      ['tenant.created', 'acme'],
      ['tenant.alias_added', 'accounts.acme.localhost'],
      ['tenant.events_changed', 'acme'],
      ['flag.activated', 'UseQueueEvents'],
      ['staff.added', 'admin@acme.example'],
      ['key.created', 'consumer'],
    ])
    for (const { actor } of entries) expect(actor).toEqual({ kind: 'system', name: 'test' })
    const platform = await listAuditEntries(database.db, null, 100)
    expect(platform.map(({ action, target }) => [action, target]).toReversed()).toEqual([
      ['operator.added', 'ops@example.com'],
      ['key.created', 'monitor'],
    ])
    expect(JSON.stringify([entries, platform])).not.toMatch(/of-at-least-32/)
  })

  test('leaves alone what the file does not name', async () => {
    await apply(
      declare(`aliases: [a.${slug}.localhost]
flags: [UseQueueEvents]
events: { retention_days: 9, bots: drop }
staff: [{ email: one@${slug}.example, role: administrator }, { email: two@${slug}.example, role: viewer }]
keys: [{ name: one, abilities: [health:read], expires_at: 2030-01-01 }, { name: two }]`),
    )
    const before = await getTenant(slug)
    const keys = await listKeys(database.db, before.id)
    const { changes } = await apply(
      declare(`events: { retention_days: 10 }
staff: [{ email: two@${slug}.example, role: administrator }]
keys: [{ name: one }]`),
    )
    expect(changes).toEqual([
      `tenant ${slug}: treatment of events changed`,
      `tenant ${slug}: two@${slug}.example is now administrator`,
    ])
    const after = await getTenant(slug)
    expect(after).toEqual({ ...before, events: { ...before.events, retentionDays: 10 } })
    expect(await listKeys(database.db, after.id)).toEqual(keys)
    expect(await listActiveFlags(database.db, after.id)).toEqual(new Set(['UseQueueEvents']))
    expect(await listTenantStaff(database.db, after.id)).toHaveLength(2)
  })

  test('takes a named list of aliases or flags as the whole list', async () => {
    await apply(declare(`aliases: [a.${slug}.localhost, b.${slug}.localhost]\nflags: [UseQueueEvents]`))
    const calls: unknown[] = []
    const { changes } = await apply(
      declare(`aliases: [b.${slug}.localhost, c.${slug}.localhost]\nflags: []`),
      {
        tenantCreated: async () => {},
        flagChanged: async (_trx, _tenantId, flag, active) => void calls.push([flag, active]),
      },
    )
    expect(changes).toEqual([
      `tenant ${slug}: alias c.${slug}.localhost added`,
      `tenant ${slug}: alias a.${slug}.localhost removed`,
      `tenant ${slug}: flag UseQueueEvents off`,
    ])
    expect(calls).toEqual([['UseQueueEvents', false]])
    expect((await listHostnames(database.db, (await getTenant(slug)).id)).map(({ host }) => host)).toEqual([
      `b.${slug}.localhost`,
      `c.${slug}.localhost`,
      `members.${slug}.localhost`,
    ])
  })

  test('changes a domain to one that was an alias, and keeps the old one as an alias', async () => {
    await apply(declare(`aliases: [new.${slug}.localhost]`))
    const { changes } = await apply(
      declare(`aliases: [members.${slug}.localhost]`).replace(`domain: members`, 'domain: new'),
    )
    expect(changes).toEqual([
      `tenant ${slug}: domain changed from members.${slug}.localhost to new.${slug}.localhost`,
      `tenant ${slug}: alias members.${slug}.localhost added`,
    ])
    expect((await getTenant(slug)).domain).toBe(`new.${slug}.localhost`)
  })

  test('moves a host from one tenant to another in one file', async () => {
    const other = `${slug}-b`
    await apply(declare(`aliases: [shared.${slug}.localhost]`))
    await apply(declare('', other))
    const { changes } = await apply(
      declare('aliases: []') +
        declare(`aliases: [shared.${slug}.localhost]`, other).replace('\ntenants:', ''),
    )
    expect(changes).toEqual([
      `tenant ${slug}: alias shared.${slug}.localhost removed`,
      `tenant ${other}: alias shared.${slug}.localhost added`,
    ])
  })

  test('makes a token where none is given, shows it once, and keeps the key from then on', async () => {
    const text =
      declare(`staff: [{ email: a@${slug}.example, role: viewer }, { email: b@${slug}.example, role: administrator }]
keys: [{ name: consumer }]`)
    const { madeKeys } = await apply(text)
    expect(madeKeys).toEqual([
      { name: 'consumer', tenant: slug, token: expect.stringMatching(/^usher_org_[0-9A-Za-z]{38}$/) },
    ])
    const tenant = await getTenant(slug)
    const [key] = await listKeys(database.db, tenant.id)
    expect(key?.tokenHash.toString('base64url')).toBe(hashToken(madeKeys[0]?.token ?? ''))
    const administrator = (await listTenantStaff(database.db, tenant.id)).find(
      ({ role }) => role === 'administrator',
    )
    expect(key?.userId).toBe(administrator?.id)
    expect((await apply(text)).madeKeys).toEqual([])
  })

  test('replaces a key whose token changes, and never takes a revoked token back', async () => {
    const text = (token: string) =>
      declare(
        `staff: [{ email: a@${slug}.example, role: administrator }]\nkeys: [{ name: k, token: ${token} }]`,
      )
    const [first, second] = [`first-${slug}`.padEnd(32, '1'), `second-${slug}`.padEnd(32, '2')]
    await apply(text(first))
    expect((await apply(text(second))).changes).toEqual([`tenant ${slug}: key k has another token`])
    const keys = await listKeys(database.db, (await getTenant(slug)).id)
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
    expect(await getTenant(slug)).toMatchObject({
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
      `tenant ${slug}: signing in changed`,
      `tenant ${slug}: look of the pages changed`,
    ])
    expect(await getTenant(slug)).toMatchObject(expected)
    expect((await apply(all)).changes).toEqual([])
    await apply(declare('branding: {}'))
    expect(await getTenant(slug)).toMatchObject(expected)
  })

  test('shares the cookie on the declared domain, keeps that, and takes it back with ""', async () => {
    const shared = `${slug}.example`
    const at = (domain: string, fields = '') =>
      `tenants:\n  - { slug: ${slug}, name: N, domain: ${domain}${fields} }`
    expect((await apply(at(`a.${shared}`, `, cookie_domain: ${shared.toUpperCase()}`))).changes).toContain(
      `tenant ${slug}: cookie domain ${shared}`,
    )
    expect((await apply(at(`b.${shared}`))).changes).toEqual([
      `tenant ${slug}: domain changed from a.${shared} to b.${shared}`,
    ])
    expect(await getTenant(slug)).toMatchObject({ domain: `b.${shared}`, cookieDomain: shared })
    // A domain that the kept one does not cover would never see its cookie again.
    await expect(apply(at('c.example.org'))).rejects.toThrow(
      `tenants[0].domain is not covered by the tenant's cookie domain ${shared}; declare cookie_domain too`,
    )
    expect(await getTenant(slug)).toMatchObject({ domain: `b.${shared}`, cookieDomain: shared })
    expect((await apply(at(`b.${shared}`, ', cookie_domain: ""'))).changes).toEqual([
      `tenant ${slug}: cookie domain removed`,
    ])
    expect(await getTenant(slug)).toMatchObject({ cookieDomain: null })
  })

  test('changes what belongs to a key beside its token', async () => {
    const text = (terms: string) =>
      declare(`staff: [{ email: a@${slug}.example, role: administrator }, { email: b@${slug}.example, role: viewer }]
keys: [{ name: k, ${terms} }]`)
    await apply(text('abilities: [health:read]'))
    const { changes } = await apply(
      text(
        `user: b@${slug}.example, abilities: [health:read, events:read], expires_at: 2031-01-01T12:00+02:00`,
      ),
    )
    expect(changes).toEqual([`tenant ${slug}: key k changed`])
    const tenant = await getTenant(slug)
    const [key] = await listKeys(database.db, tenant.id)
    expect(key).toMatchObject({
      abilities: ['events:read', 'health:read'],
      expiresAt: new Date('2031-01-01T10:00:00Z'),
    })
  })

  test('takes an empty file, a file of comments and JSON', async () => {
    for (const text of ['', '# nothing\n', '{"tenants": []}'])
      expect(await apply(text)).toEqual({ changes: [], notices: [], madeKeys: [], madeSecrets: [] })
  })

  test('lets two run at once without either failing', async () => {
    const text = declare(`staff: [{ email: a@${slug}.example, role: administrator }]\nkeys: [{ name: k }]`)
    const results = await Promise.all([apply(text), apply(text), apply(text)])
    expect(results.map(({ changes }) => changes.length > 0).toSorted()).toEqual([false, false, true])
  })

  test('undoes everything when a hook fails', async () => {
    await expect(
      apply(declare(''), {
        tenantCreated: () => Promise.reject(new Error('no room for queues')),
        flagChanged: async () => {},
      }),
    ).rejects.toThrow('no room for queues')
    expect(await findTenantBySlug(database.db, slug)).toBeUndefined()
  })
})
