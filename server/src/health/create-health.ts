import type { Readiness } from '@usher/contract'
import type { Registry } from 'prom-client'
import { openDatabase } from '../foundation/database/index.ts'
import { checkPlatformHealth, type PlatformCheck } from './check-platform-health.ts'
import { checkReadiness } from './check-readiness.ts'
import { checkTenantHealth, type TenantCheck } from './check-tenant-health.ts'
import { pingDatabase } from './database-ping.store.ts'
import type { HealthPorts } from './health-ports.ts'
import { addQueueMetrics } from './queue-metrics.ts'
import { shareChecks } from './share-checks.ts'

export interface HealthOptions extends HealthPorts {
  databaseUrl: string
}

export interface Health {
  checkPlatform(): Promise<PlatformCheck>
  checkTenant(tenantId: string): Promise<TenantCheck>
  checkReadiness(): Promise<Readiness>
  /** The start is done: migrations ran and background jobs were set up. */
  setStarted(): void
  /** The process is about to end: /readyz says so, and everything else goes on. */
  setStopping(): void
  /** Adds gauges of queues and background jobs, read on the connections of health when they are scraped. */
  addMetrics(registry: Registry): void
  close(): Promise<void>
}

/** How long a check takes at most: a monitor gets its answer within two seconds, and something of that goes to
 *  the way there. */
export const CHECK_TIMEOUT_MS = 1_500
// Shorter than the check, so that what is over is over in the database too.
const STATEMENT_TIMEOUT_MS = 1_000
const CONNECT_TIMEOUT_MS = 1_000

/** Asks after the database on a few connections of its own: a pool that is used up does not look like a database
 *  that is away, and a database that hangs does not use up the pool of the requests. Each kind of question has its
 *  own, so that tables of jobs that are locked do not hold up the answer about a tenant's queues. */
export function createHealth({
  databaseUrl,
  readQueueStates,
  countPending,
  countFailed,
}: HealthOptions): Health {
  const open = (maxConnections: number) =>
    openDatabase({
      url: databaseUrl,
      maxConnections,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      applicationName: 'usher health',
    })
  const databases = { platform: open(2), tenants: open(2), metrics: open(1) }
  const sharePlatform = shareChecks<PlatformCheck>()
  const shareTenant = shareChecks<TenantCheck>()
  const shareReadiness = shareChecks<Readiness>()
  let state: 'starting' | 'started' | 'stopping' = 'starting'

  return {
    checkPlatform: () =>
      sharePlatform('', () =>
        checkPlatformHealth(
          {
            countPending: () => countPending(databases.platform.db),
            countFailed: () => countFailed(databases.platform.db),
          },
          { timeoutMs: CHECK_TIMEOUT_MS, failedTimeoutMs: STATEMENT_TIMEOUT_MS },
        ),
      ),
    checkTenant: tenantId =>
      shareTenant(tenantId, () =>
        checkTenantHealth(tenantId, () => readQueueStates(databases.tenants.db, tenantId), CHECK_TIMEOUT_MS),
      ),
    checkReadiness: () =>
      shareReadiness(state, () =>
        checkReadiness(state, () => pingDatabase(databases.tenants.db), CHECK_TIMEOUT_MS),
      ),
    setStarted() {
      state = 'started'
    },
    setStopping() {
      state = 'stopping'
    },
    addMetrics(registry) {
      const { db } = databases.metrics
      addQueueMetrics(registry, {
        readQueueStates: () => readQueueStates(db),
        countPending: () => countPending(db),
        countFailed: () => countFailed(db),
      })
    },
    async close() {
      await Promise.all(Object.values(databases).map(database => database.close()))
    },
  }
}
