import type { Platform } from '../platform/start-platform.ts'
import { processorTimeOfFamilyS, processorTimeS } from '../process/process-figures.ts'
import { show } from '../report/findings.ts'

export interface CoresUsed {
  server: number
  postgres: number
}

/** How many cores the server and its PostgreSQL kept busy while something ran. */
export async function coresUsed<T>(
  { child, database }: Platform,
  run: () => Promise<T>,
): Promise<{ result: T; cores: CoresUsed }> {
  const read = async () => ({
    atS: performance.now() / 1000,
    serverS: await processorTimeS(child.pid),
    postgresS: await processorTimeOfFamilyS(database.pid),
  })
  const before = await read()
  const result = await run()
  const after = await read()
  const wallS = after.atS - before.atS
  return {
    result,
    cores: {
      server: (after.serverS - before.serverS) / wallS,
      postgres: (after.postgresS - before.postgresS) / wallS,
    },
  }
}

/** For a line of output. */
export function showCores({ server, postgres }: CoresUsed, generator: number): string {
  return `cores: server ${show(server, 2)}, PostgreSQL ${show(postgres, 2)}, load generator ${show(generator, 2)}`
}
