import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../foundation/database/index.ts'
import { startEmbeddedPostgres } from '../foundation/embedded-postgres/index.ts'
import { createDatabase, TEMPLATE } from './database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}

/** One PostgreSQL for the whole run, with a migrated template that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-test-'))
  // Tests do not look at what survives a crash of this instance, so it need not wait for the disk.
  const postgres = await startEmbeddedPostgres({
    dataDir,
    // Each of the files that run at once may have several platforms with all their pools.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  })
  const template = await createDatabase(postgres.url, TEMPLATE)
  await migrate(template)
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
