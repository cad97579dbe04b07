import { classifyDatabaseError } from '../foundation/database/index.ts'
import { unavailable } from '../foundation/http/index.ts'
import type { AppendToLog } from './log.store.ts'
import { fail, type Submission, type SubmissionResult, type Waiting } from './submission.ts'
import { WaitingLines } from './waiting-lines.ts'
import { isMissingPartition, type Leftover, writeBatch } from './write-batch.ts'

export interface LogWriter {
  /** Resolves when every event is committed, known or refused. Rejects with 503 when that cannot be done
   *  before the deadline or too much waits already: the outcome is then open, and sending the same ids
   *  again is safe. */
  submit(submission: Submission): Promise<SubmissionResult>
  waitingBytes(): number
  /** Writes what waits and refuses more. */
  close(): Promise<void>
}

export interface LogWriterOptions {
  append: AppendToLog
  /** Called when a batch met a day without a partition. */
  makePartitions(): Promise<void>
  onCommit?(events: number, durationS: number): void
  onFault?(error: unknown): void
  maxWaitingBytes?: number
  deadlineMs?: number
}

/** Past two transactions more would wait for the same processors. */
const maxBatchesInFlight = 2
/** Connections that wait for a tail, for a tenant each: one that another process holds, or that the batch before
 *  holds until its commit. */
const maxBehindInFlight = 4
/** Connections that a writer uses at most. */
export const writerConnections = maxBatchesInFlight + maxBehindInFlight
/** For a submission's share of arrays, objects and its open request. */
const overheadBytes = 1_000
const sweepMs = 250
const maxPauseMs = 1_000
/** Without a commit for so long, what comes is refused while something waits already: no pile-up. */
const refuseAfterMs = 2_000

/** The group commit (architecture, "The event path" 2): while one transaction is being committed, what
 *  arrives gathers into the next. */
export function createLogWriter(options: LogWriterOptions): LogWriter {
  const { append, deadlineMs = 5_000, maxWaitingBytes = 32 * 1024 * 1024 } = options
  const lines = new WaitingLines()
  const inFlight = new Set<readonly Waiting[]>()
  let waitingBytes = 0
  let behindInFlight = 0
  let isScheduled = false
  let failingSinceMs: number | undefined
  let pauseMs = 0
  let pauseTimer: NodeJS.Timeout | undefined
  let onDrained: (() => void) | undefined
  const sweeper = setInterval(sweep, sweepMs).unref()

  function submit({ tenantId, receivedAt, ids, records }: Submission): Promise<SubmissionResult> {
    let bytes = overheadBytes
    for (const record of records) bytes += record.length
    if (onDrained) return Promise.reject(unavailable('Usher is stopping. Send the events again.'))
    if (waitingBytes + bytes > maxWaitingBytes || isFailing())
      return Promise.reject(unavailable('Too many events wait to be stored. Send them again later.'))
    waitingBytes += bytes
    return new Promise((resolve, reject) => {
      const deadlineAtMs = Date.now() + deadlineMs
      lines.add({ tenantId, receivedAt, ids, records, bytes, deadlineAtMs, settled: false, resolve, reject })
      schedule()
    })
  }

  /** One submission may wait at a time then: it is what finds out that the database is back. */
  function isFailing(): boolean {
    return waitingBytes > 0 && failingSinceMs !== undefined && Date.now() - failingSinceMs > refuseAfterMs
  }

  /** No timer: on the next turn of the event loop, so that a batch holds what this turn reads. */
  function schedule(): void {
    if (isScheduled || pauseTimer) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      start()
    })
  }

  function start(): void {
    while (inFlight.size - behindInFlight < maxBatchesInFlight) {
      const batch = lines.takeBatch()
      if (batch.length === 0) break
      void write(batch, false)
    }
    while (behindInFlight < maxBehindInFlight) {
      const batch = lines.takeBehind()
      if (batch.length === 0) break
      behindInFlight++
      void write(batch, true).then(() => behindInFlight--)
    }
  }

  async function write(batch: readonly Waiting[], wait: boolean): Promise<void> {
    inFlight.add(batch)
    const startedAt = performance.now()
    const leftover = await writeBatch(batch, append, wait)
    if (leftover.fault !== undefined) await afterFault(leftover)
    // A locked tail would have been waited for, or have ended in a lock timeout.
    else if (wait && leftover.busy.length > 0)
      for (const waiting of batch) fail(waiting, new Error(`Tenant ${waiting.tenantId} has no queue.`))
    else if (leftover.busy.length < batch.length) {
      failingSinceMs = undefined
      pauseMs = 0
      options.onCommit?.(
        countEvents(batch) - countEvents(leftover.busy),
        (performance.now() - startedAt) / 1000,
      )
    }
    inFlight.delete(batch)
    // Waiting for a lock in vain leaves the tenant contended; in the other lane that is found again.
    const stillBusy = wait ? [...leftover.busy, ...leftover.again] : leftover.busy
    lines.putBack(batch, wait ? [] : leftover.again, stillBusy)
    for (const waiting of batch) if (waiting.settled) waitingBytes -= waiting.bytes
    if (!lines.isEmpty) schedule()
    else if (inFlight.size === 0) onDrained?.()
  }

  async function afterFault({ again, fault }: Leftover): Promise<void> {
    if (isMissingPartition(fault)) return options.makePartitions().catch(pause)
    const kind = classifyDatabaseError(fault)
    if (kind === 'unavailable') pause(fault)
    if (kind === 'unavailable' || kind === 'retry') return
    options.onFault?.(fault)
    for (const waiting of again) fail(waiting, fault)
  }

  function pause(fault: unknown): void {
    failingSinceMs ??= Date.now()
    options.onFault?.(fault)
    pauseMs = Math.min(maxPauseMs, Math.max(50, pauseMs * 2))
    pauseTimer ??= setTimeout(() => {
      pauseTimer = undefined
      if (!lines.isEmpty) schedule()
    }, pauseMs)
  }

  function sweep(): void {
    const nowMs = Date.now()
    const late = unavailable('The events could not be stored in time. Send them again.')
    for (const waiting of lines.takeExpired(nowMs)) {
      waitingBytes -= waiting.bytes
      fail(waiting, late)
    }
    // Their transaction may still commit; its end gives their bytes back.
    for (const batch of inFlight)
      for (const waiting of batch) if (waiting.deadlineAtMs <= nowMs) fail(waiting, late)
    if (lines.isEmpty && inFlight.size === 0) onDrained?.()
  }

  return {
    submit,
    waitingBytes: () => waitingBytes,
    async close() {
      await new Promise<void>(resolve => {
        onDrained = resolve
        if (lines.isEmpty && inFlight.size === 0) resolve()
      })
      clearInterval(sweeper)
      clearTimeout(pauseTimer)
    },
  }
}

function countEvents(batch: readonly Waiting[]): number {
  let events = 0
  for (const { ids } of batch) events += ids.length
  return events
}
