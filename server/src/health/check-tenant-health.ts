import type { TenantHealth } from '@usher/contract'
import { withDeadline } from '../foundation/deadline.ts'
import type { QueueState } from './health-ports.ts'

export interface TenantCheck {
  report: TenantHealth
  faults: unknown[]
}

/** The report when the store did not answer (interface 2.2): every value of the queues is null. `tenantId` is
 *  "" where it cannot be known (decisions, "Answers"). */
export function degradedTenant(tenantId: string): TenantHealth {
  const unknown = { depth: null, oldest_age_seconds: null }
  return {
    status: 'degraded',
    tenant: tenantId,
    store: { reachable: false },
    queues: { events: unknown, heartbeats: unknown },
  }
}

/** Asks the store of a tenant's queues, at most `timeoutMs` (interface 2.2). Never throws. */
export async function checkTenantHealth(
  tenantId: string,
  readQueueStates: () => Promise<QueueState[]>,
  timeoutMs: number,
): Promise<TenantCheck> {
  try {
    const states = await withDeadline(timeoutMs, 'The store of the queues', readQueueStates)
    const of = (name: QueueState['queue']) => {
      const state = states.find(({ tenantId: owner, queue }) => owner === tenantId && queue === name)
      if (!state || state.depth === 0) return { depth: 0, oldest_age_seconds: null }
      return { depth: state.depth, oldest_age_seconds: state.oldestAgeS }
    }
    const queues = { events: of('events'), heartbeats: of('heartbeats') }
    return { report: { status: 'ok', tenant: tenantId, store: { reachable: true }, queues }, faults: [] }
  } catch (error) {
    return { report: degradedTenant(tenantId), faults: [error] }
  }
}
