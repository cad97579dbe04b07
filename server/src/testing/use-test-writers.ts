import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { appendToLog } from '../events/log.store.ts'
import { createLogWriter, type LogWriter, type LogWriterOptions } from '../events/log-writer.ts'
import { prepareLogs } from '../events/prepare-logs.ts'
import type { Submission } from '../events/submission.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** The answer to a submission all of whose events were stored. */
export const stored = { duplicates: [], refused: [] }

let count = 0
/** Events as the writer takes them: one, received now, unless told otherwise. */
export function submission(
  tenantId: string,
  given: Partial<Submission> & { note?: string } = {},
): Submission {
  const ids = given.ids ?? [uuidv7()]
  const { note = `n${count++}` } = given
  return {
    tenantId,
    receivedAt: given.receivedAt ?? new Date().toISOString(),
    ids,
    records: ids.map(id => `{"id":"${id}","note":"${note}","created_at":"`),
  }
}

interface Row {
  id: string
  position: number | null
  day: string
  note: string
  created_at: string
}

/** Writers of the Event Queue's log, as each process has one, which are closed when their test ends. */
export function useTestWriters() {
  let database: TestDatabase
  const writers: LogWriter[] = []
  beforeAll(async () => {
    database = await createTestDatabase()
    await prepareLogs(database.db, new Date())
  })
  afterEach(async () => {
    for (const writer of writers.splice(0)) await writer.close()
  })
  afterAll(() => database.drop())

  function openWriter(options: Partial<LogWriterOptions> = {}): LogWriter {
    const writer = createLogWriter({
      append: appendToLog(database.pool, 'events'),
      makePartitions: () => prepareLogs(database.db, new Date()),
      ...options,
    })
    writers.push(writer)
    return writer
  }

  /** What the log holds of a tenant, in the order of its positions. */
  async function rowsOf(tenantId: string): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select id, position, day, record::json->>'note' as note, record::json->>'created_at' as created_at
      from event_log where tenant_id = ${tenantId} order by position nulls last, received_at, id`.execute(
      database.db,
    )
    return rows
  }

  return {
    openWriter,
    rowsOf,
    /** There once the tests run. */
    get database() {
      return database
    },
  }
}
