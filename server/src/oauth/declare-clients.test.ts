import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Applied } from '../tenancy/index.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { applyTestPlatform } from '../testing/platform.ts'
import { hashSecret } from './client-secret.ts'
import { listClients } from './clients.store.ts'
import { clientHooks } from './declare-clients.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const platform = (slug: string, clients: object[]) =>
  JSON.stringify({ tenants: [{ slug, name: 'Acme', domain: `${slug}.example`, clients }] })
const apply = (slug: string, ...clients: object[]): Promise<Applied> =>
  applyTestPlatform(database, platform(slug, clients), { hooks: clientHooks })
async function stored(slug: string) {
  const { rows } = await database.pool.query('select id from tenants where slug = $1', [slug])
  return listClients(database.db, rows[0].id)
}
async function audited(slug: string): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select action, target, details from audit_entries a join tenants t on t.id = a.tenant_id
     where slug = $1 and action like 'client.%' order by a.id`,
    [slug],
  )
  return rows
}

const partner = {
  client_id: 'partner',
  name: 'Partner',
  redirect_uris: ['https://app.partner.example/callback'],
}
const secret = 'a-declared-secret-of-32-characters'

describe('clients of the platform file (decisions, "First start, and configuration")', () => {
  test('are registered with their defaults, and a secret that was made is told once', async () => {
    const first = await apply('defaults', partner)
    expect(first.changes).toContain('tenant defaults: client partner added')
    expect(first.madeSecrets).toEqual([
      { clientId: 'partner', tenant: 'defaults', secret: expect.stringMatching(/^usher_client_[\w-]{43}$/) },
    ])
    expect(await stored('defaults')).toMatchObject([
      {
        clientId: 'partner',
        name: 'Partner',
        redirectUris: partner.redirect_uris,
        allowedOrigins: [],
        pkceRequired: false,
        enabled: true,
        secretHash: hashSecret(first.madeSecrets[0]?.secret ?? ''),
      },
    ])
    const again = await apply('defaults', partner)
    expect([again.changes, again.madeSecrets]).toEqual([[], []])
    expect(await audited('defaults')).toHaveLength(1)
  })

  test('have the declared secret, and another one is a regeneration with its entry in the audit trail', async () => {
    const given = await apply('given', { ...partner, client_secret: secret })
    expect(given.madeSecrets).toEqual([])
    expect((await apply('given', { ...partner, client_secret: secret })).changes).toEqual([])
    expect((await apply('given', partner)).changes).toEqual([])
    const other = await apply('given', { ...partner, client_secret: `${secret}!` })
    expect(other.changes).toEqual(['tenant given: client partner has another secret'])
    expect((await stored('given'))[0]?.secretHash).toEqual(hashSecret(`${secret}!`))
    const entries = await audited('given')
    expect(entries.at(-1)).toEqual({ action: 'client.secret_regenerated', target: 'partner', details: {} })
    expect(JSON.stringify(entries)).not.toContain(secret)
  })

  test('change in what is declared, and keep what is not', async () => {
    await apply('changes', {
      ...partner,
      pkce_required: true,
      allowed_origins: ['https://news.acme.example'],
      post_logout_redirect_uris: ['https://app.partner.example/'],
      backchannel_logout_uri: 'https://app.partner.example/out',
    })
    const { changes } = await apply('changes', { ...partner, name: 'Other', enabled: false })
    expect(changes).toEqual(['tenant changes: client partner changed'])
    expect(await stored('changes')).toMatchObject([
      {
        name: 'Other',
        enabled: false,
        pkceRequired: true,
        allowedOrigins: ['https://news.acme.example'],
        postLogoutRedirectUris: ['https://app.partner.example/'],
        backchannelLogoutUri: 'https://app.partner.example/out',
      },
    ])
    expect((await audited('changes')).at(-1)).toEqual({
      action: 'client.changed',
      target: 'partner',
      details: { name: { from: 'Partner', to: 'Other' }, enabled: { from: true, to: false } },
    })
  })

  test('that are not named stay', async () => {
    await apply('stays', partner)
    await apply('stays', { ...partner, client_id: 'second' })
    await apply('stays')
    expect((await stored('stays')).map(({ clientId }) => clientId)).toEqual(['partner', 'second'])
  })

  test('are refused with the line of each fault, and nothing is applied', async () => {
    const text = `tenants:
  - slug: refused
    name: Acme
    domain: refused.example
    clients:
      - client_id: partner
        name: Partner
        client_secret: "short"
        redirect_uris:
          - https://app.partner.example/callback
          - http://app.partner.example/callback
        allowed_origins: [https://news.acme.example/]
      - client_id: partner
        name: Partner
        redirect_uris: [https://app.partner.example/callback]
`
    const refused = (yaml: string) =>
      applyTestPlatform(database, yaml, { hooks: clientHooks }).then(
        () => [],
        error => error.problems,
      )
    expect(await refused(text)).toEqual([
      expect.stringMatching(/^platform\.yaml:8: .*client_secret must be 32/),
    ])
    expect(await refused(text.replace('short', secret))).toEqual([
      'platform.yaml:11: tenants[0].clients[0].redirect_uris[1] must be HTTPS; only http://localhost and http://127.0.0.1 may be without it',
      'platform.yaml:12: tenants[0].clients[0].allowed_origins[0] must be an origin as browsers send it: https://news.acme.example',
      'platform.yaml:13: tenants[0].clients[1].client_id is named twice',
    ])
    const { rows } = await database.pool.query(`select from tenants where slug = 'refused'`)
    expect(rows).toEqual([])
  })
})
