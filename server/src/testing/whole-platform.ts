import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { readConfig } from '../config.ts'
import { createLogger, type Logger } from '../foundation/logging.ts'
import type { Registry } from '../foundation/metrics.ts'
import { createPlatform } from '../wiring.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { applyTestPlatform, TEST_PLATFORM_HOST, testHooks } from './platform.ts'

export const platformHost = TEST_PLATFORM_HOST
export const tokens = {
  operator: 'test-platform-key-of-at-least-32-characters',
  acme: 'test-consumer-key-of-acme-of-32-characters',
  acmeReader: 'test-reader-key-of-acme-that-only-reads-events',
  globe: 'test-consumer-key-of-globe-of-32-characters',
}

/** Two tenants with keys: acme, whose flag is on, and globe. */
const platformFile = `
operators: [ops@example.com]
platform_keys:
  - { name: monitor, operator: ops@example.com, token: "${tokens.operator}" }
tenants:
  - slug: acme
    name: Acme Daily
    domain: members.acme.example
    aliases: [accounts.acme.example]
    flags: [UseQueueEvents]
    staff: [{ email: admin@acme.example, role: administrator }]
    keys:
      - { name: consumer, user: admin@acme.example, token: "${tokens.acme}" }
      - { name: reader, user: admin@acme.example, token: "${tokens.acmeReader}", abilities: [events:read] }
  - slug: globe
    name: The Globe
    domain: members.globe.example
    staff: [{ email: admin@globe.example, role: administrator }]
    keys: [{ name: consumer, user: admin@globe.example, token: "${tokens.globe}" }]
`

export interface WholePlatform {
  app: FastifyInstance
  /** What its metrics are read from. */
  registry: Registry
  database: TestDatabase
  /** Applies more declarations, in YAML. */
  apply(yaml: string): Promise<void>
  /** Sends a request to a host, with a key where one is named. */
  request(host: string, options: InjectOptions & { key?: string }): Promise<LightMyRequestResponse>
  close(): Promise<void>
}

export interface WholePlatformOptions {
  /** Where the platform logs; standard output unless told otherwise. */
  log?: Logger
  /** The URL by which the platform reaches its database, from the database's own. */
  reachBy?(databaseUrl: string): Promise<string>
}

/** The whole platform, wired as it is in production, on a database of its own. It does not listen. */
export async function createWholePlatform(
  env: Record<string, string> = {},
  { log = createLogger(false), reachBy = async url => url }: WholePlatformOptions = {},
): Promise<WholePlatform> {
  const database = await createTestDatabase()
  const secretKey = env.USHER_SECRET_KEY ?? Buffer.alloc(32, 1).toString('base64')
  const hooks = testHooks([Buffer.from(secretKey, 'base64')])
  const apply = async (text: string): Promise<void> => {
    await applyTestPlatform(database, text, { hooks })
  }
  await apply(platformFile)
  const config = readConfig({
    USHER_PUBLIC_URL: `http://${platformHost}`,
    USHER_DATABASE_URL: database.url,
    USHER_ROLE: 'http',
    USHER_SECRET_KEY: secretKey,
    ...env,
  })
  const platform = await createPlatform(config, await reachBy(database.url), log)
  await platform.start()
  return {
    app: platform.app,
    registry: platform.registry,
    database,
    apply,
    request: (host, { key, ...options }) =>
      platform.app.inject({
        ...options,
        headers: { host, ...(key && { authorization: `Bearer ${key}` }), ...options.headers },
      }),
    async close() {
      await platform.close()
      await database.drop()
    },
  }
}
