import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { StartError } from '../start-error.ts'
import { findRunningPostgres, startEmbeddedPostgres } from './index.ts'
import {
  asClusterOwner,
  asDedicatedUser,
  asThisUser,
  inUserNamespace,
  LAUNCH_STRATEGIES,
} from './launch-strategies.ts'
import {
  canMakeUserNamespace,
  holdInChild,
  isRoot,
  makeTestFolder,
  query,
  start,
  useMadeFolder,
} from './on-test-folder.ts'

async function uidOf(path: string): Promise<number> {
  return (await stat(path)).uid
}

/** Lets every user into the folder during this test. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  onTestFinished(() => chmod(folder, 0o700))
}

test('where nothing works one line says why and what to do', async () => {
  const dataDir = await makeTestFolder()
  const error: unknown = await startEmbeddedPostgres(
    { dataDir },
    { strategies: [async () => 'user namespace: forbidden', async () => 'user id 101: no way in'] },
  ).catch(reason => reason)
  expect(error).toBeInstanceOf(StartError)
  expect((error as StartError).message).toMatch(
    /^the embedded PostgreSQL cannot run here \(user namespace: forbidden; user id 101: no way in\): run Usher as (an ordinary|another) user, or set USHER_DATABASE_URL to a PostgreSQL server$/,
  )
})

test('the ways are tried from the plainest on', () => {
  expect(LAUNCH_STRATEGIES).toEqual([asThisUser, asClusterOwner, inUserNamespace, asDedicatedUser])
})

describe.runIf(isRoot && canMakeUserNamespace)('as root', () => {
  test('a user namespace does in a folder that only root may enter, and leaves every file root’s', async () => {
    const dataDir = await useMadeFolder()
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
    const { pid, url } = await start(dataDir, { strategies: [inUserNamespace] })
    expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t0\t/m)
    expect(await uidOf(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(0)
  })

  test('a dedicated user takes over a folder that it may enter, keeps it, and gives it back', async () => {
    const dataDir = await useMadeFolder()
    await openToAll(dataDir)
    const file = join(dataDir, 'postgres', 'PG_VERSION')
    const first = await start(dataDir, { strategies: [asDedicatedUser] })
    expect(await uidOf(file)).not.toBe(0)
    expect(await readFile(`/proc/${first.pid}/status`, 'utf8')).not.toMatch(/^Uid:\t0\t/m)
    await first.stop()

    const owner = await uidOf(file)
    const second = await start(dataDir)
    expect(await uidOf(file)).toBe(owner)
    expect(await readFile(`/proc/${second.pid}/status`, 'utf8')).toMatch(
      new RegExp(`^Uid:\\t${owner}\\t`, 'm'),
    )
    await second.stop()

    const third = await start(dataDir, { strategies: [inUserNamespace] })
    expect(await uidOf(file)).toBe(0)
    expect(await query(third.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
  })

  test('a dedicated user gets binaries and a new cluster elsewhere if it may not enter', async () => {
    const dataDir = await makeTestFolder()
    const first = await start(dataDir, { strategies: [asDedicatedUser] })
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    expect(await readdir(dataDir)).not.toContain('postgres')
    expect(await findRunningPostgres(dataDir)).toBe(first.url)
    await first.stop()

    // The pointer decides from now on, also where another way works.
    const second = await start(dataDir, { strategies: [inUserNamespace] })
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])

    // A copy of the data folder names the same cluster, and must not share its server.
    const copy = await makeTestFolder()
    const name = 'postgres-location'
    await writeFile(join(copy, name), await readFile(join(dataDir, name)))
    await expect(startEmbeddedPostgres({ dataDir: copy })).rejects.toThrow(`(pid ${process.pid})`)
  })

  test('a dedicated user that may not enter where the data is says so', async () => {
    const dataDir = await useMadeFolder()
    const refused = start(dataDir, { strategies: [asDedicatedUser] })
    await expect(refused).rejects.toThrow(`may not enter ${dataDir}, where the data already is`)
  })

  test('an unshare that fails leads to the dedicated user', async () => {
    const tools = await makeTestFolder()
    await writeFile(
      join(tools, 'unshare'),
      '#!/bin/sh\necho "unshare: Operation not permitted" >&2\nexit 1\n',
    )
    await chmod(join(tools, 'unshare'), 0o755)
    const dataDir = await useMadeFolder()
    await openToAll(dataDir)
    const { pid, url } = await holdInChild(dataDir, {
      env: { ...process.env, PATH: `${tools}:${process.env.PATH}` },
    })
    expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).not.toMatch(/^Uid:\t0\t/m)
  })
})
