import { classifyDatabaseError } from '../foundation/database/index.ts'
import type { AppendToLog, LogBatch } from './log.store.ts'
import { fail, type SubmissionResult, settle, type Waiting } from './submission.ts'

/** What a write did not bring to an end. */
export interface Leftover {
  /** Their tenant's tail is locked by another process. */
  busy: readonly Waiting[]
  /** To be tried again with the same ids. */
  again: readonly Waiting[]
  /** Why, where it was a fault. */
  fault?: unknown
}

const nothing: Leftover = { busy: [], again: [] }

/** Writes submissions in one transaction and answers those that it stored. Bad data (SQLSTATE class 22
 *  or 23) parts the batch by request, and of a request that still fails by event, so that one poisonous
 *  event cannot fail its neighbours. Never throws. */
export async function writeBatch(
  batch: readonly Waiting[],
  append: AppendToLog,
  wait: boolean,
): Promise<Leftover> {
  const { rows, places, repeated } = toRows(batch)
  try {
    const { busyTenants, duplicates } = await append(rows, wait)
    for (const place of duplicates ?? []) {
      const known = places(place - 1)
      repeated.set(known.waiting, [...(repeated.get(known.waiting) ?? []), known.index])
    }
    const isBusy = (waiting: Waiting) => busyTenants?.includes(waiting.tenantId) === true
    const busy = busyTenants && busyTenants.length > 0 ? batch.filter(isBusy) : []
    for (const waiting of batch)
      if (busy.length === 0 || !isBusy(waiting))
        settle(waiting, { duplicates: repeated.get(waiting) ?? [], refused: [] })
    return { busy, again: [] }
  } catch (error) {
    return classifyDatabaseError(error) === 'bad_data' && !isMissingPartition(error)
      ? writeApart(batch, append)
      : { busy: [], again: batch, fault: error }
  }
}

async function writeApart(batch: readonly Waiting[], append: AppendToLog): Promise<Leftover> {
  const [first] = batch
  if (batch.length === 1 && first)
    return first.ids.length > 1 ? writeEventsApart(first, append) : refuse(first)
  for (const [at, waiting] of batch.entries()) {
    const { busy, again, fault } = await writeBatch([waiting], append, true)
    if (busy.length + again.length > 0) return { busy: [], again: batch.slice(at), fault }
  }
  return nothing
}

function refuse(waiting: Waiting): Leftover {
  settle(waiting, { duplicates: [], refused: [0] })
  return nothing
}

async function writeEventsApart(whole: Waiting, append: AppendToLog): Promise<Leftover> {
  const duplicates: number[] = []
  const refused: number[] = []
  for (const index of whole.ids.keys()) {
    const part: Waiting = {
      ...whole,
      ids: whole.ids.slice(index, index + 1),
      records: whole.records.slice(index, index + 1),
      settled: false,
      resolve(result: SubmissionResult) {
        if (result.duplicates.length > 0) duplicates.push(index)
        if (result.refused.length > 0) refused.push(index)
      },
      reject: error => fail(whole, error),
    }
    const { busy, again, fault } = await writeBatch([part], append, true)
    // The next try finds the parts that are stored by their ids.
    if (busy.length + again.length > 0) return { busy: [], again: [whole], fault }
  }
  settle(whole, { duplicates, refused })
  return nothing
}

/** PostgreSQL reports a day without a partition as a failed check; it names no constraint. */
export function isMissingPartition(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === '23514' &&
    error.message.startsWith('no partition of relation')
  )
}

interface Place {
  waiting: Waiting
  index: number
}

/** What is known of a tenant while its rows are put together. */
interface TenantRows {
  ids: Set<string>
  receivedAt: string
}

/** The batch as columns. An id that stands twice in it is sent once; the later ones are duplicates. A
 *  tenant's receipt times never decrease, also when the clock was moved back between two requests. */
function toRows(batch: readonly Waiting[]): {
  rows: LogBatch
  places(row: number): Place
  repeated: Map<Waiting, number[]>
} {
  const tenantIds: string[] = []
  const ids: string[] = []
  const receivedAt: string[] = []
  const records: string[] = []
  const owners: Waiting[] = []
  const indices: number[] = []
  const repeated = new Map<Waiting, number[]>()
  const tenants = new Map<string, TenantRows>()
  for (const waiting of batch) {
    let tenant = tenants.get(waiting.tenantId)
    if (!tenant) {
      tenant = { ids: new Set(), receivedAt: waiting.receivedAt }
      tenants.set(waiting.tenantId, tenant)
    }
    if (waiting.receivedAt > tenant.receivedAt) tenant.receivedAt = waiting.receivedAt
    for (let index = 0; index < waiting.ids.length; index++) {
      const id = waiting.ids[index] as string
      if (tenant.ids.has(id)) {
        repeated.set(waiting, [...(repeated.get(waiting) ?? []), index])
        continue
      }
      tenant.ids.add(id)
      tenantIds.push(waiting.tenantId)
      ids.push(id)
      receivedAt.push(tenant.receivedAt)
      records.push(waiting.records[index] as string)
      owners.push(waiting)
      indices.push(index)
    }
  }
  const places = (row: number): Place => ({ waiting: owners[row] as Waiting, index: indices[row] as number })
  return { rows: { tenantIds, ids, receivedAt, records }, places, repeated }
}
