import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/src/testing/database.ts'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'
import { type Program, startProgram } from '../start-program.ts'
import { type EventSource, openEventSource } from './event-source.ts'
import { type HoldingProxy, holdPoints, startHoldingProxy } from './holding-proxy.ts'

let platform: RunningPlatform
let database: TestDatabase
let folder: string
let source: EventSource
let proxy: HoldingProxy

beforeAll(async () => {
  platform = await startPlatform()
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'usher-kill-consumer-'))
})
afterAll(async () => {
  await platform?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  source = openEventSource(platform)
  proxy = await startHoldingProxy(platform.port)
})
afterEach(async () => {
  source.close()
  await proxy.close()
})

/** A consumer that can be started again, and what it has put down. */
interface Consumer {
  start(): Program
  /** Ids, in the order in which they lie there. */
  stored(): Promise<string[]>
}

const env = () => ({
  USHER_URL: `http://platform.localhost:${proxy.port}`,
  USHER_KEY: platform.consumerKey,
})

/** Starts a program that does not outlive its test. */
function start(...[file, more, options]: Parameters<typeof startProgram>): Program {
  const program = startProgram(file, { ...env(), ...more }, options)
  onTestFinished(async () => void (await program.end('SIGKILL')))
  return program
}

async function idsInFile(path: string): Promise<string[]> {
  if (!existsSync(path)) return []
  const lines = (await readFile(path, 'utf8')).split('\n')
  expect(lines.pop()).toBe('')
  return lines.map(line => JSON.parse(line).id)
}

function command(): Consumer {
  const path = join(folder, `${randomBytes(4).toString('hex')}.ndjson`)
  return {
    start: () => start('bin/usher-consume', {}, { args: ['--follow', '--out', path] }),
    stored: () => idsInFile(path),
  }
}

function fileExample(): Consumer {
  const path = join(folder, `${randomBytes(4).toString('hex')}.ndjson`)
  return {
    start: () => start('examples/consumer-file/main.ts', { EVENTS_FILE: path }),
    stored: () => idsInFile(path),
  }
}

function postgresExample(): Consumer {
  const tables = database.pool.query('drop table if exists usher_events, usher_refused_events')
  return {
    start: () => start('examples/consumer-postgres/main.ts', { DATABASE_URL: database.url }),
    async stored() {
      await tables
      // An event that came twice is no reason to put it aside.
      const { rows: refused } = await database.pool.query('select * from usher_refused_events')
      expect(refused).toEqual([])
      const { rows } = await database.pool.query<{ id: string }>(
        `select id from usher_events order by created_at, (record ->> 'event_sequence')::int`,
      )
      return rows.map(({ id }) => id)
    },
  }
}

const consumers = [
  ['the command', command],
  ['the example with a file', fileExample],
  ['the example with PostgreSQL', postgresExample],
] as const

/** Starts the consumer once more, lets it empty the queue, stops it, and compares. */
async function expectAllOnce(consumer: Consumer): Promise<void> {
  proxy.release()
  // Else it may be told to stop before it is there.
  await source.send(30)
  const again = consumer.start()
  await source.untilEmpty()
  expect(await again.end('SIGTERM')).toBe(0)
  expect(await consumer.stored()).toEqual(source.sent)
}

describe.for(consumers)('kill -9 of %s', ([, make]) => {
  test.for(holdPoints)('%s: nothing is lost, and nothing there twice', async point => {
    const consumer = make()
    await source.send(250)
    const held = proxy.holdAt(point)
    const program = consumer.start()
    await held
    await source.send(120)
    expect(await program.end('SIGKILL')).toBe('SIGKILL')
    await expectAllOnce(consumer)
  })

  test('ten times at any moment, under load: nothing is lost, and nothing there twice', async () => {
    const consumer = make()
    for (let round = 0; round < 10; round++) {
      await source.send(300)
      const program = consumer.start()
      const sending = source.send(200)
      // Around the moments at which it starts, reads, writes and removes.
      await delay(120 + round * 25)
      await program.end('SIGKILL')
      await sending
    }
    await expectAllOnce(consumer)
  }, 60_000)
})

describe('kill -9 of the example with PostgreSQL while it inserts', () => {
  test('leaves a statement that is carried out later, or not: nothing is lost, and nothing there twice', async () => {
    const consumer = postgresExample()
    await source.send(250)
    const first = consumer.start()
    await source.untilEmpty()
    await first.end('SIGTERM')
    await source.send(250)

    const lock = await database.pool.connect()
    try {
      await lock.query('begin')
      await lock.query('lock table usher_events in share mode')
      const program = consumer.start()
      await expect
        .poll(async () => {
          const { rows } = await database.pool.query<{ waiting: number }>(
            `select count(*)::int as waiting from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into usher_events%'`,
          )
          return rows[0]?.waiting
        })
        .toBe(1)
      expect(await program.end('SIGKILL')).toBe('SIGKILL')
      await lock.query('commit')
    } finally {
      lock.release()
    }
    await expectAllOnce(consumer)
  })
})

describe('kill -9 of the platform', () => {
  test('is waited out by the command, which then goes on', async () => {
    const consumer = command()
    await source.send(250)
    const held = proxy.holdAt('before the answer to the removal')
    const program = consumer.start()
    await held
    proxy.release()
    await platform.program().end('SIGKILL')
    await platform.startAgain()
    await source.send(120)
    await source.untilEmpty()
    expect(await program.end('SIGTERM')).toBe(0)
    expect(await consumer.stored()).toEqual(source.sent)
    const removals = proxy.passed.filter(line => line.startsWith('DELETE') && line.includes('count=250'))
    expect(removals.map(line => line.slice(-3))).toEqual(['204', '204'])
  }, 60_000)
})
