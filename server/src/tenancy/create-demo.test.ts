import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { applyTestPlatform, noHooks, TEST_PLATFORM_HOST } from '../testing/platform.ts'
import { createDemo, findDemo } from './create-demo.ts'
import { abilities } from './credential.ts'
import { listActiveFlags } from './feature-flags.store.ts'
import { listHostnames } from './hostnames.store.ts'
import { hashToken } from './key-token.ts'
import { findKeysByHash } from './keys.store.ts'
import { findTenantBySlug, listTenants } from './tenants.store.ts'

let database: TestDatabase
let folder: string
let file: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-demo-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  database = await createTestDatabase()
  file = join(folder, new URL(database.url).pathname.slice(1), 'demo.json')
})
afterEach(() => database.drop())

const create = (hooks = noHooks) =>
  createDemo({
    db: database.db,
    hooks,
    platformHost: TEST_PLATFORM_HOST,
    actor: { kind: 'system', name: 'test' },
    now: new Date(),
    file,
  })

describe('the demo of a first start', () => {
  test('is a tenant with its flag on, a consumer key, and an operator with a key', async () => {
    const demo = await create()
    if (!demo) throw new Error('no demo')
    expect(demo).toMatchObject({
      operator: 'operator@platform.localhost',
      tenant: {
        slug: 'acme',
        name: 'Acme Daily',
        domain: 'members.acme.localhost',
        administrator: 'admin@acme.example',
        client: { id: 'partner', redirectUri: 'http://127.0.0.1:4000/callback' },
        siteClient: { id: 'news', redirectUri: 'http://127.0.0.1:4100/signed-in' },
      },
    })
    const tenant = await findTenantBySlug(database.db, 'acme')
    const tenantId = tenant?.id ?? ''
    expect(await listHostnames(database.db, tenantId)).toEqual([
      { host: 'accounts.acme.localhost', canonical: false },
      { host: 'members.acme.localhost', canonical: true },
    ])
    expect(await listActiveFlags(database.db, tenantId)).toEqual(new Set(['UseQueueEvents']))
    const hashes = [hashToken(demo.tenant.consumerKey), hashToken(demo.platformKey)]
    const keys = await findKeysByHash(database.db, hashes)
    expect(hashes.map(hash => keys.get(hash)?.credential)).toMatchObject([
      {
        kind: 'organization',
        tenantId,
        name: 'consumer',
        abilities: new Set(['events:read', 'events:delete', 'health:read']),
      },
      { kind: 'platform', name: 'monitor', abilities: new Set(abilities) },
    ])
  })

  test('is kept in a file that only its user can read', async () => {
    const demo = await create()
    expect(await findDemo(file)).toEqual(demo)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readFile(file, 'utf8')).endsWith('}\n')).toBe(true)
  })

  test('is not made a second time, nor beside a tenant or staff of somebody', async () => {
    await create()
    const kept = await findDemo(file)
    expect(await create()).toBeUndefined()
    expect(await findDemo(file)).toEqual(kept)
    expect(await listTenants(database.db)).toHaveLength(1)
  })

  test('is not made where somebody began already', async () => {
    await applyTestPlatform(database, 'operators: [ops@example.com]')
    expect(await create()).toBeUndefined()
    expect(await findDemo(file)).toBeUndefined()
    expect(await listTenants(database.db)).toEqual([])
  })

  test('is made once when several start at the same moment', async () => {
    const demos = await Promise.all([create(), create(), create()])
    expect(demos.filter(demo => demo !== undefined)).toEqual([await findDemo(file)])
  })

  test('leaves no file when it could not be made', async () => {
    const failing = create({ ...noHooks, tenantCreated: () => Promise.reject(new Error('no queues')) })
    await expect(failing).rejects.toThrow('no queues')
    expect(await findDemo(file)).toBeUndefined()
    expect(await listTenants(database.db)).toEqual([])
  })
})
