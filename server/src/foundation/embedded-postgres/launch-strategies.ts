import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../start-error.ts'
import { type Binaries, copyBinaries } from './binaries.ts'
import { findClusterMajor, LOCATION_FILE } from './cluster-files.ts'
import { makeFolder } from './data-folder.ts'
import { type Launch, type Owner, verified } from './launch.ts'

const run = promisify(execFile)

export interface LaunchContext {
  binaries: Binaries
  dataDir: string
  clusterDir: string
  /** Where binaries and data go that the dedicated user cannot reach where they are. */
  sharedDir: string
}

/** Gives a launch, or says in a few words why there is none. */
export type LaunchStrategy = (context: LaunchContext) => Promise<Launch | string>

const NOTHING_TO_SAY = ''

/** As the user that we are. PostgreSQL refuses root, and initdb a user without a name. */
export const asThisUser: LaunchStrategy = async context => {
  if (process.getuid?.() === 0) return 'PostgreSQL refuses to run as root'
  try {
    userInfo()
  } catch {
    return `the user id ${process.getuid?.()} has no name in /etc/passwd`
  }
  return verified({ binaries: context.binaries, clusterDir: context.clusterDir, prefix: [] })
}

/** For root, on a cluster that another user made: as that user, who can then go on with it. */
export const asClusterOwner: LaunchStrategy = async ({ binaries, clusterDir }) => {
  const owner = await stat(clusterDir).catch(() => undefined)
  if (process.getuid?.() !== 0 || owner === undefined || owner.uid === 0) return NOTHING_TO_SAY
  const launch = await verified({
    binaries,
    clusterDir,
    owner: { uid: owner.uid, gid: owner.gid },
    prefix: [],
  })
  return typeof launch === 'string' ? `user id ${owner.uid}: ${launch}` : launch
}

/**
 * In a user namespace, where we have another user id while every file stays ours: no user is made, and
 * folders that only root may enter are no obstacle.
 */
export const inUserNamespace: LaunchStrategy = async context => {
  if (process.platform !== 'linux') return 'no user namespaces'
  const user = (await findUser(['postgres', 'nobody'])) ?? (await findUser())
  if (user === undefined) return 'no user but root in /etc/passwd'
  const prefix = ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`, '--']
  const { binaries, clusterDir } = context
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const launch = await verified({ binaries, clusterDir, owner, prefix })
  return typeof launch === 'string' ? `user namespace: ${launch}` : launch
}

/**
 * For root where user namespaces are forbidden: as a user of the system. Binaries that this user cannot reach are
 * copied; a new cluster is put elsewhere if it cannot reach the data folder, and that folder says where.
 */
export const asDedicatedUser: LaunchStrategy = async context => {
  if (process.getuid?.() !== 0) return 'only root may start programs as another user'
  const owner = await findUser(['usher', 'postgres', '_postgres', 'nobody'])
  if (owner === undefined) return 'no user postgres or nobody in /etc/passwd'
  const user = `user id ${owner.uid}`
  let { binaries, clusterDir } = context
  try {
    if (!(await canRead(owner, binaries.postgres))) {
      await makeOpenFolder(context.sharedDir)
      binaries = await copyBinaries(binaries, context.sharedDir)
    }
    if (!(await canRead(owner, dirname(clusterDir)))) {
      if ((await findClusterMajor(clusterDir)) !== undefined) {
        return `${user} may not enter ${dirname(clusterDir)}, where the data already is`
      }
      const newDir = join(context.sharedDir, `data-${randomBytes(6).toString('hex')}`)
      await makeOpenFolder(context.sharedDir)
      await makeOpenFolder(newDir)
      clusterDir = join(newDir, 'postgres')
    }
  } catch (error) {
    return `${user}: ${(error as Error).message}`
  }
  const launch = await verified({ binaries, clusterDir, owner, prefix: [] })
  if (typeof launch === 'string') return `${user}: ${launch}`
  if (clusterDir !== context.clusterDir) {
    await writeFile(join(context.dataDir, LOCATION_FILE), `${clusterDir}\n`, { flush: true })
  }
  return launch
}

export const LAUNCH_STRATEGIES: LaunchStrategy[] = [
  asThisUser,
  asClusterOwner,
  inUserNamespace,
  asDedicatedUser,
]

/** The first launch that works here. Throws a StartError that says what to do where none does. */
export async function chooseLaunch(strategies: LaunchStrategy[], context: LaunchContext): Promise<Launch> {
  const reasons: string[] = []
  for (const strategy of strategies) {
    const launch = await strategy(context)
    if (typeof launch !== 'string') return launch
    if (launch !== NOTHING_TO_SAY) reasons.push(launch)
  }
  const advice = process.getuid?.() === 0 ? 'run Usher as an ordinary user' : 'run Usher as another user'
  throw new StartError(
    `the embedded PostgreSQL cannot run here (${reasons.join('; ')}): ${advice}, or set USHER_DATABASE_URL to a PostgreSQL server`,
  )
}

/** A folder that everybody may enter, whatever the umask. */
async function makeOpenFolder(folder: string): Promise<void> {
  await makeFolder(folder)
  await chmod(folder, 0o755)
}

async function canRead(owner: Owner, path: string): Promise<boolean> {
  const probe = run('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'sh', path], { ...owner, cwd: '/' })
  return probe.then(
    () => true,
    () => false,
  )
}

/** The first of the names that the system has; without names, the first user that is not root. */
async function findUser(names?: string[]): Promise<Owner | undefined> {
  const users = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map(line => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(user => user.uid > 0 && user.gid > 0)
  const wanted = names === undefined ? users : names.map(name => users.find(user => user.name === name))
  const user = wanted.find(user => user !== undefined)
  return user && { uid: user.uid, gid: user.gid }
}
