import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../start-error.ts'
import { PASSWORD_FILE } from './cluster-files.ts'
import { noSpaceLeft, saysNoSpaceLeft } from './data-folder.ts'
import { commandOf, halfMade, handOver, type Launch } from './launch.ts'

const run = promisify(execFile)

/**
 * Makes the cluster with a password of its own. It gets its name only when it is whole and on the disk, so that a
 * start which is killed here leaves nothing that a later one could take for a cluster. `flush` false does not
 * wait for the disk.
 */
export async function initializeCluster(launch: Launch, flush: boolean): Promise<void> {
  const half = halfMade(launch.clusterDir)
  const passwordFile = `${half}.password`
  try {
    await mkdir(half, { mode: 0o700 })
    await handOver(launch, half)
    await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
    if (launch.owner !== undefined) await chown(passwordFile, launch.owner.uid, launch.owner.gid)
    await runInitdb(launch, half, [`--pwfile=${passwordFile}`, flush ? '--sync-method=fsync' : '--no-sync'])
    await rename(passwordFile, join(half, PASSWORD_FILE))
    await flushFolder(half)
    await rename(half, launch.clusterDir)
    await flushFolder(dirname(launch.clusterDir))
  } catch (error) {
    await rm(half, { recursive: true, force: true })
    await rm(passwordFile, { force: true })
    throw error
  }
}

async function runInitdb(launch: Launch, folder: string, options: string[]): Promise<void> {
  const command = commandOf(launch, launch.binaries.initdb, [
    `--pgdata=${folder}`,
    '--username=usher',
    ...options,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order and case on every machine, whatever locales it has; an operating system's update that
    // changes its collations cannot break an index.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ])
  try {
    await run(command.file, command.args, { ...command.options, windowsHide: true, timeout: 120_000 })
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    const said = stderr || message
    if (saysNoSpaceLeft(said)) throw noSpaceLeft(dirname(launch.clusterDir), error)
    throw new StartError(
      `the database could not be made in ${dirname(launch.clusterDir)}: ${said.trim().replaceAll(/\s*\n\s*/g, ' ')}`,
      { cause: error },
    )
  }
}

/** Makes a rename in the folder last through a loss of power. Windows cannot open folders, and need not. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
