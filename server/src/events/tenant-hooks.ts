import type { Flag } from '@usher/contract'
import type { DatabaseTransaction } from '../foundation/database/index.ts'
import { insertQueues, updateActive } from './queue.store.ts'

/** What the event path does when tenants change, in the transaction of the change. */
export const eventHooks = {
  /** A new tenant has its queues from the first moment. */
  tenantCreated: (trx: DatabaseTransaction, tenantId: string): Promise<void> => insertQueues(trx, tenantId),

  /** The flag takes hold between two events. */
  async flagChanged(trx: DatabaseTransaction, tenantId: string, flag: Flag, active: boolean): Promise<void> {
    if (flag === 'UseQueueEvents') await updateActive(trx, tenantId, active)
  },
}
