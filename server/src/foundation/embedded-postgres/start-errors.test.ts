import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StartError } from '../start-error.ts'
import { startEmbeddedPostgres } from './index.ts'
import { canMakeMountNamespace, holdInChild, makeTestFolder, useMadeFolder } from './on-test-folder.ts'

/** Takes the file away during this test, or puts another text into it. */
async function spoil(file: string, text?: string): Promise<void> {
  await rename(file, `${file}.kept`)
  onTestFinished(() => rename(`${file}.kept`, file))
  if (text !== undefined) await writeFile(file, text)
}

/** The one line that a start on the folder ends with. */
async function refusalOf(dataDir: string, settings: Record<string, string> = {}): Promise<string> {
  const error: unknown = await startEmbeddedPostgres({ dataDir, settings }).then(
    ({ stop }) => stop(),
    reason => reason,
  )
  expect(error).toBeInstanceOf(StartError)
  const { message } = error as StartError
  expect(message).not.toContain('\n')
  return message
}

test('a data folder that is a file, or lies below one', async () => {
  const file = join(await makeTestFolder(), 'file')
  await writeFile(file, '')
  for (const dataDir of [file, join(file, 'data')]) {
    expect(await refusalOf(dataDir)).toBe(
      `the data folder ${dataDir} is a file or lies below one: set USHER_DATA_DIR to another folder, or USHER_DATABASE_URL to a server`,
    )
  }
})

test.runIf(process.platform === 'linux')('a data folder in which no file can be made', async () => {
  // Not even for root.
  const message = await refusalOf('/proc/self')
  expect(message).toMatch(
    /^the data folder \/proc\/self cannot be written by this user \((?:ENOENT|EACCES|EPERM)\): give/,
  )
})

test.runIf(process.platform === 'linux')('a data folder that cannot be written', async () => {
  expect(await refusalOf('/proc/usher/data')).toMatch(
    /^the data folder \/proc\/usher\/data cannot be written by this user \(ENOENT at .*\): give this user the folder, or set/,
  )
})

test('data of another major version', async () => {
  const dataDir = await useMadeFolder()
  await spoil(join(dataDir, 'postgres', 'PG_VERSION'), '15\n')
  expect(await refusalOf(dataDir)).toMatch(
    /was made by PostgreSQL 15, and this Usher brings PostgreSQL 18: dump/,
  )
})

test('a cluster without its password, and one without its data', async () => {
  const dataDir = await useMadeFolder()
  await spoil(join(dataDir, 'postgres', 'usher-password'))
  expect(await refusalOf(dataDir)).toMatch(/usher-password is missing: put it back from a backup/)
  await spoil(join(dataDir, 'postgres', 'PG_VERSION'))
  expect(await refusalOf(dataDir)).toMatch(/holds no PostgreSQL data: remove it/)
})

test('a wrong password', async () => {
  const dataDir = await useMadeFolder()
  await spoil(join(dataDir, 'postgres', 'usher-password'), 'another\n')
  expect(await refusalOf(dataDir)).toMatch(/refuses the password in usher-password/)
})

test('a server that does not start tells its last words, and the folder is free again', async () => {
  const dataDir = await useMadeFolder()
  expect(await refusalOf(dataDir, { shared_buffers: 'lots' })).toBe(
    `PostgreSQL did not start: FATAL: invalid value for parameter "shared_buffers": "lots" (see ${join(dataDir, 'postgres.log')})`,
  )
  const { stop } = await startEmbeddedPostgres({ dataDir })
  await stop()
})

test('a folder called postgres that is none of ours', async () => {
  const dataDir = await makeTestFolder()
  await mkdir(join(dataDir, 'postgres'))
  await writeFile(join(dataDir, 'postgres', 'notes.txt'), 'mine')
  expect(await refusalOf(dataDir)).toMatch(/holds no PostgreSQL data/)
})

test.runIf(canMakeMountNamespace)('a full disk, at the first start and at a later one', async () => {
  const disk = await makeTestFolder()
  // A mount in a namespace of its own, which goes away with the process.
  const onSmallDisk = (sizeMib: number, before = 'true') => {
    const script = `mount -t tmpfs -o size=${sizeMib}m none "$0" && ${before} && exec "$@"`
    return { prefix: ['unshare', '--mount', '/bin/sh', '-c', script, disk] }
  }
  const advice =
    'free some (a new database takes about 100 MB), or set USHER_DATA_DIR to a folder on another disk'
  const line = `no disk space left for the data folder ${disk}: ${advice}`
  expect((await holdInChild(disk, onSmallDisk(20))).error).toBe(line)

  const used = await useMadeFolder()
  const fill = `cp -r '${used}/.' "$0" && { head -c 99999999 /dev/zero > "$0/filler" || true; } 2> /dev/null`
  expect((await holdInChild(disk, onSmallDisk(90, fill))).error).toBe(line)
})
