import { execFile } from 'node:child_process'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The `cluster_name` that a server of this folder runs under. PostgreSQL shows it in the title of each of its
 * processes, which any user may read. Device and inode, not the path: they stay when the folder is
 * moved, and differ in a copy of it.
 */
export async function clusterName(clusterDir: string): Promise<string> {
  const { dev, ino } = await stat(clusterDir, { bigint: true })
  return `usher-${dev.toString(36)}-${ino.toString(36)}`
}

/** Whether the process is a server of this cluster, and not another program that got its process id later. */
export async function isClusterProcess(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return isOfCluster(line.split('\0'), cluster)
  }
  if (process.platform === 'win32') return isAlive(pid)
  return (await listByPs(cluster)).includes(pid)
}

/** The process ids of every process of the cluster: the server, and what it may have left behind by dying. */
async function listClusterProcesses(cluster: string): Promise<number[]> {
  if (process.platform === 'win32') return []
  if (process.platform !== 'linux') return listByPs(cluster)
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map(pid => isClusterProcess(pid, cluster)))
  return pids.filter((_, index) => found[index])
}

/** Either the command line of the server, or the title that its children give themselves. */
function isOfCluster(argv: string[], cluster: string): boolean {
  const [first = ''] = argv
  if (first.startsWith(`postgres: ${cluster}: `)) return true
  return basename(first) === 'postgres' && argv.includes(`cluster_name=${cluster}`)
}

async function listByPs(cluster: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-axww', '-o', 'pid=,command='], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
    .split('\n')
    .filter(line => line.includes(` postgres: ${cluster}: `) || line.includes(`cluster_name=${cluster} `))
    .map(line => Number.parseInt(line, 10))
}

/** Whether any process has this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Sends the signal; a process that is gone by now is no error. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Clears what a server that died has left in the way of the next one: its orphaned children, which hold the
 * shared memory, and its `postmaster.pid` and socket, which PostgreSQL respects as long as any
 * process has the number that stands in them. Only for who holds the data folder, with no server running.
 */
export async function clearLeftovers(clusterDir: string): Promise<void> {
  const cluster = await clusterName(clusterDir)
  const startedAt = performance.now()
  for (;;) {
    const pids = await listClusterProcesses(cluster)
    const waitedMs = performance.now() - startedAt
    if (pids.length === 0 || waitedMs > 15_000) break
    for (const pid of pids) sendSignal(pid, waitedMs > 5_000 ? 'SIGKILL' : 'SIGQUIT')
    await sleep(50)
  }
  await rm(join(clusterDir, 'postmaster.pid'), { force: true })
  const sockets = (await readdir(clusterDir)).filter(name => name.startsWith('.s.PGSQL.'))
  for (const name of sockets) await rm(join(clusterDir, name), { force: true })
}
