import type { Waiting } from './submission.ts'

/** A batch's bounds: what one transaction takes well within its statement timeout. */
const maxBatchEvents = 5_000
const maxBatchBytes = 4 * 1024 * 1024

interface Line {
  waiting: Waiting[]
  /** In a transaction now: the rest waits, so that a tenant's order is kept. */
  inFlight: boolean
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
    let events = 0
    let bytes = 0
    for (const [tenantId, line] of [...this.#lines]) {
      if (line.inFlight || line.contended || line.waiting.length === 0) continue
      let count = 0
      for (const waiting of line.waiting) {
        if (events >= maxBatchEvents || bytes >= maxBatchBytes) break
        events += waiting.ids.length
        bytes += waiting.bytes
        batch.push(waiting)
        count++
      }
      this.#taken(tenantId, line, count)
      if (events >= maxBatchEvents || bytes >= maxBatchBytes) break
    }
    return batch
  }

  /** A batch of one tenant whose tail is contended; empty when there is none. */
  takeContended(): Waiting[] {
    for (const [tenantId, line] of this.#lines) {
      if (!line.contended || line.inFlight || line.waiting.length === 0) continue
      let bytes = 0
      let count = 0
      while (count < line.waiting.length && bytes < maxBatchBytes) bytes += line.waiting[count++]?.bytes ?? 0
      const batch = line.waiting.slice(0, count)
      this.#taken(tenantId, line, count)
      return batch
    }
    return []
  }

  /** The batch is no longer in flight. What is to be tried again goes to the front of its line. */
  putBack(batch: readonly Waiting[], again: readonly Waiting[], busy: readonly Waiting[]): void {
    for (const { tenantId } of batch) {
      const line = this.#line(tenantId)
      line.inFlight = false
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
      line = { waiting: [], inFlight: false, contended: false }
      this.#lines.set(tenantId, line)
    }
    return line
  }

  #taken(tenantId: string, line: Line, count: number): void {
    line.waiting = count === line.waiting.length ? [] : line.waiting.slice(count)
    line.inFlight = count > 0
    // To the end: the next batch begins with the tenants that this one did not reach.
    this.#lines.delete(tenantId)
    this.#lines.set(tenantId, line)
  }

  #dropIfDone(tenantId: string): void {
    const line = this.#lines.get(tenantId)
    if (line && !line.inFlight && line.waiting.length === 0) this.#lines.delete(tenantId)
  }
}
