import type { Database, DatabaseTransaction } from '../foundation/database/index.ts'
import { uuidv7 } from '../foundation/uuid.ts'
import type { JobDefinition } from './job-definition.ts'
import { takeSlots } from './job-schedules.store.ts'

/** Sends the job of every schedule whose slot has come and that no other worker has fired. The slot and its
 *  job are committed together, so a slot is neither lost nor fired twice. Gives the names. */
export async function fireSchedules(
  db: Database,
  definitions: readonly JobDefinition[],
  queues: readonly string[],
  send: (trx: DatabaseTransaction, name: string, jobId: string) => Promise<void>,
): Promise<string[]> {
  const schedules = definitions.flatMap(({ name, schedule }) =>
    schedule ? [{ name, everyS: schedule.everyS, offsetS: schedule.offsetS ?? 0, jobId: uuidv7() }] : [],
  )
  if (schedules.length === 0) return []
  return db.transaction().execute(async trx => {
    const taken = await takeSlots(trx, schedules, queues)
    const fired = schedules.filter(schedule => taken.has(schedule.name))
    for (const { name, jobId } of fired) await send(trx, name, jobId)
    return fired.map(schedule => schedule.name)
  })
}

/** Runs `task` now and every `everyMs` after it has ended, until stopped; `onFault` gets what it throws. */
export function repeat(
  everyMs: number,
  task: () => Promise<unknown>,
  onFault: (fault: unknown) => void,
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let running: Promise<void>
  const turn = async () => {
    await task().catch(onFault)
    if (!stopped)
      timer = setTimeout(() => {
        running = turn()
      }, everyMs)
  }
  running = turn()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
