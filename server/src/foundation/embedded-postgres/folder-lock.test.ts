import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takeFolderLock } from './folder-lock.ts'
import { startEmbeddedPostgres } from './index.ts'
import { holdInChild, makeTestFolder, useMadeFolder } from './on-test-folder.ts'

test('a folder that another process holds is refused, naming process and folder, and is free when that is killed', async () => {
  const dataDir = await useMadeFolder()
  const holder = await holdInChild(dataDir)
  const start = startEmbeddedPostgres({ dataDir })
  await expect(start).rejects.toThrow(
    `the data folder ${dataDir} is in use by another Usher process (pid ${holder.child.pid}): stop that process, or set USHER_DATA_DIR to another folder`,
  )
  holder.child.kill('SIGKILL')
  await holder.exited
  const lock = await takeFolderLock(dataDir)
  await lock.release()
})

test('the name of a killed process in usher.pid does not matter, though another program has its id now', async () => {
  const dataDir = await makeTestFolder()
  await writeFile(join(dataDir, 'usher.pid'), `1 ${hostname()}\n`)
  const lock = await takeFolderLock(dataDir)
  expect(await readFile(join(dataDir, 'usher.pid'), 'utf8')).toBe(`${process.pid} ${hostname()}\n`)
  await lock.release()
})

test('of processes that start at the same instant exactly one gets the folder', async () => {
  const dataDir = await useMadeFolder()
  const holders = await Promise.all([1, 2, 3].map(() => holdInChild(dataDir)))
  const winners = holders.filter(holder => holder.url)
  const [winner] = winners
  expect(winners).toHaveLength(1)
  for (const loser of holders.filter(holder => holder !== winner)) {
    expect(loser.error).toContain(`(pid ${winner?.child.pid})`)
    expect(await loser.exited).toBe(1)
  }
})

test('this very process gets it once at a time', async () => {
  const dataDir = await makeTestFolder()
  const lock = await takeFolderLock(dataDir)
  await expect(takeFolderLock(dataDir)).rejects.toThrow(`(pid ${process.pid})`)
  await lock.release()
  await lock.release()
  const again = await takeFolderLock(dataDir)
  await again.release()
})

test('an owner on another machine is named with it', async () => {
  const dataDir = await makeTestFolder()
  const lock = await takeFolderLock(dataDir)
  await writeFile(join(dataDir, 'usher.pid'), '7 elsewhere\n')
  await expect(takeFolderLock(dataDir)).rejects.toThrow('(pid 7 on elsewhere)')
  await lock.release()
})
