import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own that a test can fill. */
export interface SmallDisk {
  folder: string
  /** Leaves not a byte free. */
  fill(): Promise<void>
  /** Gives back what `fill` took. */
  free(): Promise<void>
  /** Unmounts and removes it. */
  close(): void
}

const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8' })

/** Mounts a disk in memory. Gives in one line why not, where this user may not: only root can. */
export function mountSmallDisk(sizeMiB: number): SmallDisk | string {
  const folder = mkdtempSync(join(tmpdir(), 'usher-disk-'))
  const { status, stderr, error } = run(
    'mount',
    '-t',
    'tmpfs',
    '-o',
    `size=${sizeMiB}m`,
    'usher-disk',
    folder,
  )
  if (status !== 0) {
    rmdirSync(folder)
    return `no disk of ${sizeMiB} MiB could be mounted (${error?.message ?? stderr.split('\n', 1)[0]})`
  }
  const ballast = join(folder, 'ballast')
  return {
    folder,
    async fill() {
      const file = await open(ballast, 'w')
      try {
        for (;;) {
          const { bavail, bsize } = await statfs(folder)
          if (bavail === 0) return
          await file.write(Buffer.alloc(Math.min(bavail * bsize, 1024 * 1024)))
        }
      } catch (error) {
        // Another took the last of it.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        await file.close()
      }
    },
    free: () => rm(ballast, { force: true }),
    close() {
      if (run('umount', folder).status !== 0) run('umount', '--lazy', folder)
      rmdirSync(folder)
    },
  }
}
