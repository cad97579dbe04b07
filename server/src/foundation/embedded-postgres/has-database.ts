import { realpath, stat } from 'node:fs/promises'
import { locateCluster } from './cluster-files.ts'

/** Whether there is a database in this data folder, running or not. Writes nothing. Where this user may not look, there
 *  is one: whoever opens it says what stands in the way. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  try {
    await stat(await locateCluster(await realpath(dataDir)))
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}
