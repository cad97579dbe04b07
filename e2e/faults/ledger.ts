import { type Answers, noAnswers } from './answers.ts'
import type { FaultTenant } from './platform-file.ts'

/** Which of a connection's events it was; a connection sends the next when the last is acknowledged. */
export interface SentEvent {
  connection: string
  sequence: number
}

/** What senders and consumer of one tenant were told. The log has to agree with it. */
export interface Ledger {
  tenant: FaultTenant
  /** Every id that was ever sent. */
  sent: Map<string, SentEvent>
  /** Ids that were answered with 2xx, as accepted or as known. */
  acknowledged: Set<string>
  /** How many events were answered as accepted, rather than as known: each at most once. */
  accepted: number
  /** Ids that the consumer read and then removed, in that order. */
  removed: string[]
  /** Removals that were refused with 409, because another had moved the head meanwhile. */
  overtaken: number
  /** What contradicts the interface at first sight. */
  contradictions: string[]
  sending: Answers
  consuming: Answers
}

export const openLedger = (tenant: FaultTenant): Ledger => ({
  tenant,
  sent: new Map(),
  acknowledged: new Set(),
  accepted: 0,
  removed: [],
  overtaken: 0,
  contradictions: [],
  sending: noAnswers(),
  consuming: noAnswers(),
})
