import { setTimeout as delay } from 'node:timers/promises'
import type { Answers } from './answers.ts'
import { findViolations, readLog } from './check-log.ts'
import { startConsuming } from './consume-events.ts'
import type { Ledger } from './ledger.ts'
import { startSending } from './send-events.ts'

export interface LoadOptions {
  /** Of the tenants under load; what they hold from before is checked again. */
  ledgers: readonly Ledger[]
  /** Of the processes of the platform: every event goes to all of them, the consumer reads at the first. */
  ports: readonly number[]
  /** That send, for each tenant. */
  connections?: number
}

/** Senders and a consumer for each tenant, until the test ends at the latest. */
export interface Load {
  /** What senders and consumers were answered. */
  answers: readonly Answers[]
  /** Waits until every tenant has events acknowledged that were not when it was called. */
  untilAcknowledged(withinMs: number): Promise<void>
  /** Stops the senders, drains the queues, and gives every way in which log and answers disagree. */
  settle(databaseUrl: string): Promise<string[]>
}

/** Puts a moderate load on the platform. */
export function startLoad({ ledgers, ports, connections = 4 }: LoadOptions): Load {
  const sendings = ledgers.map(ledger => startSending({ ledger, ports, connections }))
  const consumings = ledgers.map(ledger => startConsuming({ ledger, port: ports[0] ?? 0 }))

  return {
    answers: ledgers.flatMap(({ sending, consuming }) => [sending, consuming]),
    async untilAcknowledged(withinMs) {
      const before = ledgers.map(({ acknowledged }) => acknowledged.size)
      const untilMs = performance.now() + withinMs
      const isBehind = (ledger: Ledger, at: number) => ledger.acknowledged.size <= (before[at] ?? 0)
      while (ledgers.some(isBehind)) {
        if (performance.now() > untilMs)
          throw new Error(
            `nothing was acknowledged within ${withinMs} ms to ${describe(ledgers.find(isBehind))}`,
          )
        await delay(20)
      }
    },
    async settle(databaseUrl) {
      await Promise.all(sendings.map(sending => sending.stop()))
      await Promise.all(consumings.map(consuming => consuming.drain()))
      const violations: string[] = []
      for (const ledger of ledgers) {
        const { slug } = ledger.tenant
        const open = ledger.sent.size - ledger.acknowledged.size
        if (open > 0)
          violations.push(`${slug}: ${open} events were still not acknowledged when the load ended`)
        const found = findViolations(ledger, await readLog(databaseUrl, slug))
        violations.push(...found.map(violation => `${slug}: ${violation}`))
      }
      return violations
    },
  }
}

const describe = (ledger: Ledger | undefined): string =>
  ledger
    ? `${ledger.tenant.slug}: ${JSON.stringify({ ...ledger.sending, wrong: [...ledger.sending.wrong] })}`
    : ''
