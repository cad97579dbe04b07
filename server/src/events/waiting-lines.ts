import type { Waiting } from './submission.ts'

/** A batch's bounds. Larger ones save little (a call costs as much as 20 events) and keep the database waiting
 *  for the program and the program for the database: of 5,000, both were idle 40 % of the time. */
const maxBatchEvents = 500
const maxBatchBytes = 1024 * 1024
/** Transactions of a tenant at once: the second waits in the database for the first one's commit, so that the
 *  database need not wait for the program in between. */
const maxInFlight = 2
/** A second transaction is worth its while from so many events on; fewer go with the next. */
const minBehindEvents = 16

interface Line {
  waiting: Waiting[]
  /** Transactions that hold events of it now. */
  inFlight: number
  /** Its tail was found locked by another process. */
  contended: boolean
}

/** What waits to be written, a line a tenant. A batch takes of many lines in turn, so that a busy tenant
 *  does not keep the others waiting. */
export class WaitingLines {
  readonly #lines = new Map<string, Line>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  add(waiting: Waiting): void {
    this.#line(waiting.tenantId).waiting.push(waiting)
  }

  /** The next batch of the tenants whose tails are thought to be free; empty when there is none. */
  takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const size = { events: 0, bytes: 0 }
    for (const [tenantId, line] of [...this.#lines]) {
      if (line.inFlight > 0 || line.contended || line.waiting.length === 0) continue
      const count = takeUpTo(line.waiting, batch, size)
      this.#taken(tenantId, line, count)
      if (isFull(size)) break
    }
    return batch
  }

  /** A batch of one tenant that has to wait for its tail, because another process or a batch of this one
   *  holds it; empty when there is none. */
  takeBehind(): Waiting[] {
    for (const [tenantId, line] of this.#lines) {
      if (line.waiting.length === 0 || line.inFlight >= (line.contended ? 1 : maxInFlight)) continue
      if (line.inFlight === 0 && !line.contended) continue
      if (line.inFlight > 0 && !hasEvents(line.waiting, minBehindEvents)) continue
      const batch: Waiting[] = []
      takeUpTo(line.waiting, batch, { events: 0, bytes: 0 })
      this.#taken(tenantId, line, batch.length)
      return batch
    }
    return []
  }

  /** The batch is no longer in flight. What is to be tried again goes to the front of its line. */
  putBack(batch: readonly Waiting[], again: readonly Waiting[], busy: readonly Waiting[]): void {
    for (const tenantId of new Set(batch.map(waiting => waiting.tenantId))) {
      const line = this.#line(tenantId)
      line.inFlight--
      line.contended = false
    }
    for (const waiting of [...again, ...busy].reverse())
      if (!waiting.settled) this.#line(waiting.tenantId).waiting.unshift(waiting)
    for (const { tenantId } of busy) this.#line(tenantId).contended = true
    for (const { tenantId } of batch) this.#dropIfDone(tenantId)
  }

  /** Takes out and answers what is past its deadline. */
  takeExpired(nowMs: number): Waiting[] {
    const expired: Waiting[] = []
    for (const [tenantId, line] of [...this.#lines]) {
      const kept = line.waiting.filter(waiting => waiting.deadlineAtMs > nowMs)
      if (kept.length === line.waiting.length) continue
      expired.push(...line.waiting.filter(waiting => waiting.deadlineAtMs <= nowMs))
      line.waiting = kept
      this.#dropIfDone(tenantId)
    }
    return expired
  }

  #line(tenantId: string): Line {
    let line = this.#lines.get(tenantId)
    if (!line) {
      line = { waiting: [], inFlight: 0, contended: false }
      this.#lines.set(tenantId, line)
    }
    return line
  }

  #taken(tenantId: string, line: Line, count: number): void {
    line.waiting = count === line.waiting.length ? [] : line.waiting.slice(count)
    line.inFlight++
    // To the end: the next batch begins with the tenants that this one did not reach.
    this.#lines.delete(tenantId)
    this.#lines.set(tenantId, line)
  }

  #dropIfDone(tenantId: string): void {
    const line = this.#lines.get(tenantId)
    if (line && line.inFlight === 0 && line.waiting.length === 0) this.#lines.delete(tenantId)
  }
}

interface Size {
  events: number
  bytes: number
}

const isFull = ({ events, bytes }: Size): boolean => events >= maxBatchEvents || bytes >= maxBatchBytes

/** Adds from the front of a line until the batch is full, and answers how many were added. */
function takeUpTo(line: readonly Waiting[], batch: Waiting[], size: Size): number {
  let count = 0
  for (const waiting of line) {
    if (isFull(size)) break
    size.events += waiting.ids.length
    size.bytes += waiting.bytes
    batch.push(waiting)
    count++
  }
  return count
}

function hasEvents(line: readonly Waiting[], least: number): boolean {
  let events = 0
  for (const { ids } of line) {
    events += ids.length
    if (events >= least) return true
  }
  return false
}
