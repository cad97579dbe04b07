import { describe, expect, test } from 'vitest'
import { applyTestPlatform } from '../../testing/platform.ts'
import { CONSUMER_TOKEN, env, FULL, useAppliedFiles } from '../../testing/use-applied-files.ts'
import { listAuditEntries } from '../audit.store.ts'
import { listActiveFlags } from '../feature-flags.store.ts'
import { listHostnames } from '../hostnames.store.ts'
import { hashToken } from '../key-token.ts'
import { listKeys } from '../keys.store.ts'
import { listOperators, listTenantStaff } from '../staff.store.ts'
import { findTenantBySlug, listTenants } from '../tenants.store.ts'

const files = useAppliedFiles()
const { getTenant, declare, apply } = files

describe('usher apply (decisions, "First start, and configuration")', () => {
  test('brings an empty platform to what the file declares', async () => {
    const calls: unknown[] = []
    const { changes, madeKeys } = await applyTestPlatform(files.database, FULL, {
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
    expect(await listHostnames(files.database.db, tenant.id)).toEqual([
      { host: 'accounts.acme.localhost', canonical: false },
      { host: 'members.acme.localhost', canonical: true },
    ])
    expect(await listActiveFlags(files.database.db, tenant.id)).toEqual(new Set(['UseQueueEvents']))
    expect(calls).toEqual([
      ['created', tenant.id],
      ['UseQueueEvents', tenant.id, true],
    ])
    expect(await listTenantStaff(files.database.db, tenant.id)).toMatchObject([
      { email: 'admin@acme.example', role: 'administrator', operator: false },
    ])
    expect(await listOperators(files.database.db)).toMatchObject([{ email: 'ops@example.com' }])
    const [key] = await listKeys(files.database.db, tenant.id)
    expect(key).toMatchObject({
      name: 'consumer',
      abilities: ['events:read', 'events:delete'],
      expiresAt: new Date('2027-12-31T00:00:00Z'),
      revokedAt: null,
    })
    expect(key?.tokenHash.toString('base64url')).toBe(hashToken(CONSUMER_TOKEN))
    expect(await listKeys(files.database.db, null)).toMatchObject([
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
      tenants: await listTenants(files.database.db),
      keys: [
        await listKeys(files.database.db, null),
        await listKeys(files.database.db, (await getTenant('acme')).id),
      ],
      trail: [
        await listAuditEntries(files.database.db, null, 1_000),
        await listAuditEntries(files.database.db, (await getTenant('acme')).id, 1_000),
      ],
    })
    const before = await state()
    expect(await apply(FULL)).toEqual({ changes: [], notices: [], madeKeys: [], madeSecrets: [] })
    expect(await state()).toEqual(before)
  })

  test('writes each change into the audit trail of its tenant or of the platform, and no token', async () => {
    await apply(FULL)
    const entries = await listAuditEntries(files.database.db, (await getTenant('acme')).id, 100)
    expect(entries.map(({ action, target }) => [action, target]).toReversed()).toEqual([
      ['tenant.created', 'acme'],
      ['tenant.alias_added', 'accounts.acme.localhost'],
      ['tenant.events_changed', 'acme'],
      ['flag.activated', 'UseQueueEvents'],
      ['staff.added', 'admin@acme.example'],
      ['key.created', 'consumer'],
    ])
    for (const { actor } of entries) expect(actor).toEqual({ kind: 'system', name: 'test' })
    const platform = await listAuditEntries(files.database.db, null, 100)
    expect(platform.map(({ action, target }) => [action, target]).toReversed()).toEqual([
      ['operator.added', 'ops@example.com'],
      ['key.created', 'monitor'],
    ])
    expect(JSON.stringify([entries, platform])).not.toMatch(/of-at-least-32/)
  })

  test('leaves alone what the file does not name', async () => {
    await apply(
      declare(`aliases: [a.${files.slug}.localhost]
flags: [UseQueueEvents]
events: { retention_days: 9, bots: drop }
staff: [{ email: one@${files.slug}.example, role: administrator }, { email: two@${files.slug}.example, role: viewer }]
keys: [{ name: one, abilities: [health:read], expires_at: 2030-01-01 }, { name: two }]`),
    )
    const before = await getTenant(files.slug)
    const keys = await listKeys(files.database.db, before.id)
    const { changes } = await apply(
      declare(`events: { retention_days: 10 }
staff: [{ email: two@${files.slug}.example, role: administrator }]
keys: [{ name: one }]`),
    )
    expect(changes).toEqual([
      `tenant ${files.slug}: treatment of events changed`,
      `tenant ${files.slug}: two@${files.slug}.example is now administrator`,
    ])
    const after = await getTenant(files.slug)
    expect(after).toEqual({ ...before, events: { ...before.events, retentionDays: 10 } })
    expect(await listKeys(files.database.db, after.id)).toEqual(keys)
    expect(await listActiveFlags(files.database.db, after.id)).toEqual(new Set(['UseQueueEvents']))
    expect(await listTenantStaff(files.database.db, after.id)).toHaveLength(2)
  })

  test('takes an empty file, a file of comments and JSON', async () => {
    for (const text of ['', '# nothing\n', '{"tenants": []}'])
      expect(await apply(text)).toEqual({ changes: [], notices: [], madeKeys: [], madeSecrets: [] })
  })

  test('lets two run at once without either failing', async () => {
    const text = declare(
      `staff: [{ email: a@${files.slug}.example, role: administrator }]\nkeys: [{ name: k }]`,
    )
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
    expect(await findTenantBySlug(files.database.db, files.slug)).toBeUndefined()
  })
})
