import { execFile } from 'node:child_process'
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os'
import { promisify } from 'node:util'
import pg from 'pg'

/** What the figures were measured on, a line each. */
export async function describeMachine(databaseUrl: string, dataDir: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const setting = async (name: string): Promise<string> => {
    const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name])
    return rows[0]?.value ?? ''
  }
  try {
    return [
      `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ` +
        `${Math.round(totalmem() / 1024 ** 3)} GiB, ${platform()} ${release()}`,
      `Node ${process.versions.node}`,
      `PostgreSQL ${await setting('server_version')}, synchronous_commit=${await setting('synchronous_commit')}, ` +
        `fsync=${await setting('fsync')}, shared_buffers=${await setting('shared_buffers')}, on ${await fileSystemOf(dataDir)}`,
    ]
  } finally {
    await client.end()
  }
}

async function fileSystemOf(folder: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('df', ['-PT', folder])
    return stdout.trim().split('\n').at(-1)?.split(/\s+/)[1] ?? 'an unknown file system'
  } catch {
    return 'an unknown file system'
  }
}
