import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from './start-program.ts'

/** The demo tenant's names, which a declaration of it repeats. */
export const acme = { slug: 'acme', name: 'Acme Daily', domain: 'members.acme.localhost' }

/** Writes a platform file that declares tenants. Gives its path. */
export async function writeTenants(folder: string, tenants: readonly object[]): Promise<string> {
  const file = join(folder, 'platform.yaml')
  await writeFile(file, JSON.stringify({ tenants }))
  return file
}

/** Declares tenants beside a running platform, as `npx usher apply` does. */
export async function applyTenants(
  { port, dataDir }: { port: number; dataDir: string },
  tenants: readonly object[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-apply-'))
  try {
    const file = await writeTenants(folder, tenants)
    const env = { USHER_PORT: `${port}`, USHER_DATA_DIR: dataDir }
    const apply = startProgram('server/src/cli.ts', env, { args: ['apply', file] })
    if ((await apply.finish()) !== 0) throw new Error(apply.lines.join('\n'))
  } finally {
    await rm(folder, { recursive: true })
  }
}
