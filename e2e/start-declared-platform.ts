import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeTenants } from './apply-tenants.ts'
import { startProgram } from './start-program.ts'
import { untilServed } from './until-served.ts'

export interface DeclaredPlatform {
  dataDir: string
  /** Ends it and removes its data. */
  close(): Promise<void>
}

/** The platform as `npm start` starts it, with these tenants in place of the demo's. Their addresses are known before it
 *  runs, and with them the port. */
export async function startDeclaredPlatform(
  port: number,
  tenants: readonly ({ domain: string } & Record<string, unknown>)[],
  env: Record<string, string> = {},
): Promise<DeclaredPlatform> {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-e2e-'))
  const program = startProgram('server/src/main.ts', {
    USHER_PORT: `${port}`,
    USHER_DATA_DIR: dataDir,
    USHER_APPLY: await writeTenants(dataDir, tenants),
    ...env,
  })
  const close = async () => {
    await program.end()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await program.line(/^Usher answers at /)
    for (const { domain } of tenants) await untilServed(port, domain)
  } catch (error) {
    await close()
    throw error
  }
  return { dataDir, close }
}
