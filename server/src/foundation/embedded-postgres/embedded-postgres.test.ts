import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findRunningPostgres } from './index.ts'
import { holdInChild, makeTestFolder, query, start, startHolder, useMadeFolder } from './on-test-folder.ts'
import { DEADLINES } from './postmaster.ts'

/** Waits for what is to come by itself. */
async function eventually<T>(find: () => Promise<T | undefined>): Promise<T> {
  const until = performance.now() + 10_000
  for (;;) {
    const found = await find().catch(() => undefined)
    if (found !== undefined) return found
    if (performance.now() > until) throw new Error('it did not come')
    await sleep(20)
  }
}

const KEPT = [{ answer: 42 }]

describe('a start and the next one', () => {
  test('the first makes the database, for this user alone, and the second keeps its data', async () => {
    const dataDir = join(await makeTestFolder(), 'new', `dä ta,"100%" +&?#'`)
    const first = await start(dataDir)
    expect(first.adopted).toBe(false)
    expect(first.url).toMatch(/^postgres:\/\/usher:[\w-]{32}@localhost:5432\/usher\?/)
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700)
    expect((await stat(join(dataDir, 'postgres', 'usher-password'))).mode & 0o777).toBe(0o600)
    await first.stop()
    await first.stop()
    await expect(query(first.url, 'SELECT 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/)

    const second = await start(dataDir)
    expect(second).toMatchObject({ url: first.url, adopted: false })
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual(KEPT)
  })

  test('it speaks UTF-8 and UTC, asks for the password, and commits are on the disk', async () => {
    const { url } = await start(await useMadeFolder())
    const [settings] = await query(
      url,
      `SELECT current_setting('listen_addresses') AS addresses, current_setting('fsync') AS fsync,
              current_setting('synchronous_commit') AS commit, current_setting('TimeZone') AS zone,
              current_setting('server_encoding') AS encoding`,
    )
    expect(settings).toEqual({ addresses: '', fsync: 'on', commit: 'on', zone: 'UTC', encoding: 'UTF8' })
    await expect(query(url.replace(/:[\w-]{32}@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(/password/)
  })

  test('a path too long for a socket gives a port of 127.0.0.1', async () => {
    const dataDir = join(await makeTestFolder(), 'a'.repeat(120))
    const { url } = await start(dataDir)
    expect(new URL(url).hostname).toBe('127.0.0.1')
    const [row] = await query(url, "SELECT current_setting('listen_addresses') AS addresses")
    expect(row).toEqual({ addresses: '127.0.0.1' })
    expect(await findRunningPostgres(dataDir)).toBe(url)
  })

  test('a start killed while the cluster is being made does not harm the next one', async () => {
    const dataDir = await makeTestFolder()
    const { child, exited } = startHolder(dataDir)
    await eventually(async () => {
      const half = (await readdir(dataDir)).filter(name => name.includes('.init-'))
      const files = await Promise.all(half.map(name => readdir(join(dataDir, name)).catch(() => [])))
      return files.flat().find(name => name === 'PG_VERSION')
    })
    child.kill('SIGKILL')
    await exited
    expect(await readdir(dataDir)).not.toContain('postgres')

    const { url } = await start(dataDir)
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})

describe('a server that dies', () => {
  test('comes back by itself at the same URL after kill -9', async () => {
    const postgres = await start(await useMadeFolder())
    const { pid, url } = postgres
    process.kill(pid, 'SIGKILL')
    const rows = await eventually(() => query(url, 'SELECT answer FROM kept'))
    expect(rows).toEqual(KEPT)
    await expect.poll(() => postgres.pid).not.toBe(pid)
    expect(postgres.url).toBe(url)
    await postgres.stop()
    await expect(query(url, 'SELECT 1')).rejects.toThrow()
  })

  test('is tried again while it cannot start, and the wait for it can be given up', async () => {
    const dataDir = await useMadeFolder()
    const versionFile = join(dataDir, 'postgres', 'PG_VERSION')
    const version = await readFile(versionFile)
    onTestFinished(() => writeFile(versionFile, version))
    const lines: string[] = []
    const postgres = await start(dataDir, {}, line => lines.push(line))
    await writeFile(versionFile, '15\n')
    process.kill(postgres.pid, 'SIGKILL')
    await eventually(async () => lines.find(line => line.includes('did not start again')))
    await writeFile(versionFile, version)
    expect(await eventually(() => query(postgres.url, 'SELECT answer FROM kept'))).toEqual(KEPT)
    // It answers a moment before its new process id is known.
    await expect.poll(() => lines.at(-1) === `PostgreSQL runs again (pid ${postgres.pid})`).toBe(true)
    expect(lines[0]).toMatch(/^PostgreSQL \(pid \d+\) has ended \(SIGKILL\): starting it again$/)

    await writeFile(versionFile, '15\n')
    process.kill(postgres.pid, 'SIGKILL')
    await postgres.stop()
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
  })

  test('does not hold up the next start by its files, its children or its reused process id', async () => {
    const dataDir = await useMadeFolder()
    const holder = await holdInChild(dataDir)
    // A child that is busy does not notice at once that its server is gone.
    const busy = query(holder.url, 'SELECT pg_sleep(60)').catch(() => 'ended')
    await eventually(async () => {
      const rows = await query(holder.url, `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)
      return rows[0]
    })
    holder.child.kill('SIGKILL')
    process.kill(holder.pid, 'SIGKILL')
    await holder.exited
    const file = join(dataDir, 'postgres', 'postmaster.pid')
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^\d+/, String(process.pid)))
    await writeFile(join(dataDir, 'postgres', '.s.PGSQL.5432.lock'), `${process.pid}\n`)

    const next = await start(dataDir)
    expect(next.adopted).toBe(false)
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await busy).toBe('ended')
  })
})

describe('a server left behind by a killed process', () => {
  test('is adopted with its data, supervised, and stopped', async () => {
    const dataDir = await useMadeFolder()
    const holder = await holdInChild(dataDir)
    holder.child.kill('SIGKILL')
    await holder.exited
    expect(await findRunningPostgres(dataDir)).toBe(holder.url)

    const adopting = await start(dataDir)
    expect(adopting).toMatchObject({ adopted: true, pid: holder.pid, url: holder.url })
    expect(await query(adopting.url, 'SELECT answer FROM kept')).toEqual(KEPT)

    process.kill(holder.pid, 'SIGKILL')
    expect(await eventually(() => query(adopting.url, 'SELECT answer FROM kept'))).toEqual(KEPT)
    await adopting.stop()
    expect(await findRunningPostgres(dataDir)).toBeUndefined()
  })

  test('is stopped by who adopted it', async () => {
    const dataDir = await useMadeFolder()
    const holder = await holdInChild(dataDir)
    holder.child.kill('SIGKILL')
    await holder.exited
    const adopting = await start(dataDir)
    await adopting.stop()
    await expect(query(holder.url, 'SELECT 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8')
    expect(log).toMatch(/database system is shut down\n$/)
  })

  test('is waited for while it stops, and ended where it does not answer', async () => {
    const dataDir = await useMadeFolder()
    const holder = await holdInChild(dataDir)
    holder.child.kill('SIGKILL')
    await holder.exited
    process.kill(holder.pid, 'SIGINT')
    const next = await holdInChild(dataDir)
    expect(next).toMatchObject({ adopted: false, url: holder.url })

    next.child.kill('SIGKILL')
    await next.exited
    process.kill(next.pid, 'SIGSTOP')
    const last = await start(dataDir, { deadlines: { ...DEADLINES, silentMs: 3_000, immediateStopMs: 100 } })
    expect(last.adopted).toBe(false)
    expect(await query(last.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('outlives the Ctrl-C that its starter got', async () => {
    const holder = await holdInChild(await useMadeFolder())
    process.kill(-(holder.child.pid ?? 0), 'SIGINT')
    await holder.exited
    expect(await query(holder.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    process.kill(holder.pid, 'SIGQUIT')
  })
})

describe('findRunningPostgres', () => {
  test('gives the URL while a server runs, and undefined for any other folder', async () => {
    const folder = await makeTestFolder()
    expect(await findRunningPostgres(join(folder, 'missing'))).toBeUndefined()
    expect(await findRunningPostgres(folder)).toBeUndefined()
    const dataDir = await useMadeFolder()
    expect(await findRunningPostgres(dataDir)).toBeUndefined()
    const { url, stop } = await start(dataDir)
    expect(await findRunningPostgres(dataDir)).toBe(url)
    await stop()
    expect(await findRunningPostgres(dataDir)).toBeUndefined()
    await writeFile(join(folder, 'file'), '')
    expect(await findRunningPostgres(join(folder, 'file'))).toBeUndefined()
  })
})
