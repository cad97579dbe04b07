import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A small house that keeps to the rules, with everything that they allow. */
export const sound: Record<string, string> = {
  'contract/src/index.ts': `import { Type } from 'typebox'\nexport const Event = Type\nexport interface Wire { id: string }`,
  'sdk/src/script.ts': `import type { Wire } from '../../contract/src/index.ts'\nexport const sent: Wire[] = []`,
  'sdk/src/testing/server.ts': `import { createServer } from 'node:http'\nexport const x = createServer`,
  'sdk/src/script.test.ts': `import { test } from 'vitest'\nimport { sent } from './script.ts'\ntest('x', () => sent)`,
  'server/src/foundation/database/index.ts': `export type { Database } from './open-database.ts'`,
  'server/src/foundation/database/open-database.ts': `import { Kysely } from 'kysely'\nimport pg from 'pg'\nexport type Database = Kysely<{}>\nexport const open = () => pg`,
  'server/src/foundation/http/index.ts': `import type { FastifyReply } from 'fastify'\nexport type Reply = FastifyReply`,
  'server/src/foundation/http/http.test.ts': `import { app } from '../../testing/app.ts'\nexport const x = app`,
  'server/src/tenancy/index.ts': `export { listTenants } from './list-tenants.ts'\nexport { tenantRoutes } from './tenants.routes.ts'\nexport type { Tenant } from './tenant.ts'`,
  'server/src/tenancy/tenant.ts': `export interface Tenant { id: string }\nexport const noTenant = ''`,
  'server/src/tenancy/tenants.store.ts': `import { sql } from 'kysely'\nimport type { Database } from '../foundation/database/index.ts'\nimport { noTenant, type Tenant } from './tenant.ts'\nexport interface Row { id: string }\nexport const read = (db: Database): Tenant => ({ id: String(sql) + noTenant + db })`,
  'server/src/tenancy/tables.ts': `import type { Generated } from 'kysely'\nexport type Id = Generated<string>`,
  'server/src/tenancy/keys.store.ts': `import type { Id } from './tables.ts'\nexport type I = Id`,
  'server/src/tenancy/list-tenants.ts': `import { read } from './tenants.store.ts'\nexport const listTenants = read`,
  'server/src/tenancy/tenants.routes.ts': `import type { FastifyInstance } from 'fastify'\nimport type { Reply } from '../foundation/http/index.ts'\nimport { listTenants } from './list-tenants.ts'\nimport type { Row } from './tenants.store.ts'\nexport const tenantRoutes = (app: FastifyInstance, reply: Reply, row: Row) => listTenants`,
  'server/src/tenancy/tenants.test.ts': `import pg from 'pg'\nimport { app } from '../testing/app.ts'\nimport { read } from './tenants.store.ts'\nexport const x = [pg, app, read]`,
  'server/src/jobs/index.ts': `export { startJobs } from './start-jobs.ts'`,
  'server/src/jobs/start-jobs.ts': `import PgBoss from 'pg-boss'\nexport const startJobs = () => PgBoss`,
  'server/src/events/index.ts': `export { pruneJob } from './prune.job.ts'`,
  'server/src/events/prune.job.ts': `import { startJobs } from '../jobs/index.ts'\nimport { pruneEvents } from './prune-events.ts'\nexport const pruneJob = () => [startJobs, pruneEvents]`,
  'server/src/events/prune-events.ts': `import { listTenants } from '../tenancy/index.ts'\nimport { drop } from './events.store.ts'\nexport const pruneEvents = () => [listTenants, drop]`,
  'server/src/events/events.store.ts': `import { Kysely } from 'kysely'\nexport const drop = () => Kysely`,
  'server/src/app.ts': `import fastify from 'fastify'\nimport { tenantRoutes } from './tenancy/index.ts'\nexport const buildApp = () => [fastify, tenantRoutes]`,
  'server/src/wiring.ts': `import { buildApp } from './app.ts'\nimport { pruneJob } from './events/index.ts'\nexport const wire = () => [buildApp, pruneJob]`,
  'server/src/main.ts': `import { wire } from './wiring.ts'\nwire()`,
  'server/src/openapi/write.ts': `import swagger from '@fastify/swagger'\nimport { buildApp } from '../app.ts'\nexport const x = [swagger, buildApp]`,
  'server/src/testing/app.ts': `import { buildApp } from '../app.ts'\nimport { read } from '../tenancy/tenants.store.ts'\nimport pg from 'pg'\nexport const app = () => [buildApp, read, pg]`,
  'e2e/journey.test.ts': `import { app } from '../server/src/testing/app.ts'\nexport const x = app`,
  'bench/bare-route.ts': `import fastify from 'fastify'\nexport const bare = fastify`,
}

/** Each plants one violation: the rule that must bite, the file at fault, what stands in it. */
export const planted: [rule: string, path: string, source: string][] = [
  ['no-cycles', 'contract/src/loop-back.ts', `import { a } from './loop.ts'\nexport const b = () => a`],
  [
    'no-cycles',
    'contract/src/type-loop-back.ts',
    `import type { C } from './type-loop.ts'\nexport type D = C[]`,
  ],
  ['resolves', 'server/src/events/astray.ts', `export * from './nowhere.ts'`],
  [
    'rooms-meet-at-the-door',
    'server/src/events/collect.ts',
    `import { listTenants } from '../tenancy/list-tenants.ts'\nexport const x = listTenants`,
  ],
  [
    'rooms-meet-at-the-door',
    'server/src/events/type-through-the-wall.ts',
    `import type { Tenant } from '../tenancy/tenant.ts'\nexport type T = Tenant`,
  ],
  [
    'rooms-meet-at-the-door',
    'server/src/events/lazy.ts',
    `export const x = () => import('../tenancy/list-tenants.ts')`,
  ],
  [
    'rooms-meet-at-the-door',
    'server/src/events/collect.test.ts',
    `import { read } from '../tenancy/tenants.store.ts'\nexport const x = read`,
  ],
  [
    'rooms-meet-at-the-door',
    'server/src/a-new-room/use-case.ts',
    `import { listTenants } from '../tenancy/list-tenants.ts'\nexport const x = listTenants`,
  ],
  [
    'wiring-uses-the-door',
    'server/src/cli.ts',
    `import { listTenants } from './tenancy/list-tenants.ts'\nlistTenants`,
  ],
  [
    'wiring-uses-the-door',
    'server/src/openapi/schemas.ts',
    `import { tenantRoutes } from '../tenancy/tenants.routes.ts'\nexport const x = tenantRoutes`,
  ],
  [
    'foundation-uses-the-door',
    'server/src/tenancy/open.ts',
    `import { open } from '../foundation/database/open-database.ts'\nexport const x = open`,
  ],
  [
    'foundation-parts-meet-at-the-door',
    'server/src/foundation/http/pool.ts',
    `import { open } from '../database/open-database.ts'\nexport const x = open`,
  ],
  [
    'foundation-knows-no-room',
    'server/src/foundation/http/host.ts',
    `import type { Tenant } from '../../tenancy/index.ts'\nexport type T = Tenant`,
  ],
  [
    'foundation-knows-no-room',
    'server/src/foundation/http/config.ts',
    `import { wire } from '../../wiring.ts'\nexport const x = wire`,
  ],
  [
    'rooms-know-no-wiring',
    'server/src/health/report.ts',
    `import { wire } from '../wiring.ts'\nexport const x = wire`,
  ],
  [
    'use-cases-know-no-routes',
    'server/src/tenancy/rename-tenant.ts',
    `import { tenantRoutes } from './tenants.routes.ts'\nexport const x = tenantRoutes`,
  ],
  [
    'use-cases-know-no-routes',
    'server/src/events/send-job.ts',
    `import { pruneJob } from './prune.job.ts'\nexport const x = pruneJob`,
  ],
  [
    'routes-leave-stores-to-use-cases',
    'server/src/tenancy/hasty.routes.ts',
    `import type { Row } from './tenants.store.ts'\nimport { read } from './tenants.store.ts'\nexport const x = (row: Row) => read`,
  ],
  [
    'routes-leave-stores-to-use-cases',
    'server/src/events/hasty.job.ts',
    `import { drop } from './events.store.ts'\nexport const x = drop`,
  ],
  [
    'stores-know-no-room',
    'server/src/events/tails.store.ts',
    `import { startJobs } from '../jobs/index.ts'\nexport const x = startJobs`,
  ],
  [
    'stores-know-no-use-case',
    'server/src/events/heads.store.ts',
    `import { look } from './look.ts'\nexport const x = look`,
  ],
  [
    'fastify-at-the-edge',
    'server/src/tenancy/find-tenant.ts',
    `import type { FastifyRequest } from 'fastify'\nexport type R = FastifyRequest`,
  ],
  ['fastify-at-the-edge', 'server/src/docs.ts', `import scalar from '@scalar/fastify-api-reference'\nscalar`],
  [
    'fastify-at-the-edge',
    'server/src/foundation/database/swagger.ts',
    `import swagger from '@fastify/swagger'\nexport const x = swagger`,
  ],
  ['sql-in-stores', 'server/src/events/write-batch.ts', `import pg from 'pg'\nexport const x = pg`],
  [
    'sql-in-stores',
    'server/src/tenancy/rows.ts',
    `import type { Generated } from 'kysely'\nexport type Id = Generated<string>`,
  ],
  ['tables-are-types', 'server/src/events/tables.ts', `import { sql } from 'kysely'\nexport const now = sql`],
  [
    'tables-belong-to-stores',
    'server/src/tenancy/find-directly.ts',
    `import type { Id } from './tables.ts'\nexport type I = Id`,
  ],
  ['pg-boss-in-jobs', 'server/src/events/boss.ts', `import PgBoss from 'pg-boss'\nexport const x = PgBoss`],
  [
    'only-tests-use-the-test-kit',
    'server/src/events/borrow.ts',
    `import { app } from '../testing/app.ts'\nexport const x = app`,
  ],
  [
    'only-tests-use-the-test-kit',
    'sdk/src/borrow.ts',
    `import { x } from './testing/server.ts'\nexport const y = x`,
  ],
  [
    'nothing-imports-a-test',
    'server/src/tenancy/reuse.ts',
    `import { x } from './tenants.test.ts'\nexport const y = x`,
  ],
  [
    'contract-stands-alone',
    'contract/src/logic.ts',
    `import { hash } from 'node:crypto'\nexport const x = hash`,
  ],
  [
    'contract-stands-alone',
    'contract/src/upwards.ts',
    `import { sent } from '../../sdk/src/script.ts'\nexport const x = sent`,
  ],
  [
    'only-types-from-contract',
    'sdk/src/heavy.ts',
    `import { Event } from '../../contract/src/index.ts'\nexport const x = Event`,
  ],
  [
    'only-types-from-contract',
    'console/src/page.ts',
    `import { Event, type Wire } from '../../contract/src/index.ts'\nexport const x = (wire: Wire) => Event`,
  ],
  [
    'sdk-has-no-dependency',
    'sdk/src/ids.ts',
    `import { randomUUID } from 'node:crypto'\nexport const x = randomUUID`,
  ],
  ['sdk-has-no-dependency', 'sdk/src/validate.ts', `import { Type } from 'typebox'\nexport const x = Type`],
  ...['e2e', 'examples', 'bench', 'console', 'consumer'].map((folder): [string, string, string] => [
    'outside-talks-http',
    `${folder}/inside.ts`,
    `import { wire } from '../server/src/wiring.ts'\nwire()`,
  ]),
]

/** Not at fault by themselves, but needed by a planted one. */
export const accomplices = {
  'contract/src/loop.ts': `import { b } from './loop-back.ts'\nexport const a = () => b`,
  'contract/src/type-loop.ts': `import type { D } from './type-loop-back.ts'\nexport type C = D[]`,
  'server/src/events/look.ts': `import { drop } from './events.store.ts'\nexport const look = drop`,
}

const packages = [
  'typebox',
  'fastify',
  '@fastify/swagger',
  '@scalar/fastify-api-reference',
  'pg',
  'kysely',
  'pg-boss',
  'vitest',
]

/** Writes a house, with packages that only have a name, into a folder of its own, and answers its path. */
export async function plant(files: Record<string, string>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'usher-rooms-')))
  const all = { ...files }
  for (const name of packages) {
    all[`node_modules/${name}/package.json`] = JSON.stringify({ name, main: 'dist/index.js' })
    all[`node_modules/${name}/dist/index.js`] = 'module.exports = {}'
  }
  for (const [path, source] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), source)
  }
  return root
}
