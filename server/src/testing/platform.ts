import type { DatabaseTransaction } from '../foundation/database/index.ts'
import { openSecrets } from '../foundation/secrets/index.ts'
import type { Applied, TenantHooks } from '../tenancy/index.ts'
import { applyPlatformFile } from '../tenancy/index.ts'
import { tenantHooks } from '../tenant-hooks.ts'
import type { TestDatabase } from './database.ts'

/** The host that test platforms live at. */
export const TEST_PLATFORM_HOST = 'platform.localhost'

/** Hooks that do nothing, for tests of tenancy alone. */
export const noHooks: TenantHooks = {
  tenantCreated: async (_trx: DatabaseTransaction) => {},
  flagChanged: async () => {},
  applyClients: async (_trx, _tenantId, declared) => ({
    problems: [],
    changes: [],
    madeSecrets: declared.map(client => ({ clientId: client.client_id, secret: 'none' })),
  }),
  checkProviders: async () => ({ problems: [], doubts: [] }),
  applyProviders: async () => ({ problems: [], changes: [] }),
  offersProvider: async () => false,
}

/** All hooks, as a platform in development has them, with the secret keys of test platforms. */
export const testHooks = (secretKeys: readonly Buffer[] = [Buffer.alloc(32, 1)]): TenantHooks =>
  tenantHooks({
    secrets: () => openSecrets(secretKeys),
    publicUrl: new URL(`http://${TEST_PLATFORM_HOST}`),
    allowLocal: true,
  })

/** Brings a test database to what the text of a platform file declares. */
export async function applyTestPlatform(
  { db }: Pick<TestDatabase, 'db'>,
  text: string,
  options: {
    hooks?: Partial<TenantHooks>
    env?: Record<string, string>
    now?: Date
    tryAll?: boolean
  } = {},
): Promise<Applied> {
  return applyPlatformFile({
    db,
    hooks: { ...noHooks, ...options.hooks },
    platformHost: TEST_PLATFORM_HOST,
    actor: { kind: 'system', name: 'test' },
    now: options.now ?? new Date(),
    env: options.env ?? {},
    tryAll: options.tryAll ?? false,
    file: { name: 'platform.yaml', text },
  })
}
