/** A queue that a process empties, in batches of `batch`. */
export type DrainJob = { batch: number } & (
  | { from: 'platform'; url: string; key: string }
  /** A list; without `parse` its records are left as text. */
  | { from: 'redis'; socketPath: string; list: string; parse: boolean }
  /** Filled first with the sample, again and again, which is not measured. */
  | { from: 'pg-boss'; databaseUrl: string; sample: readonly string[]; events: number }
)

export interface DrainResult {
  events: number
  /** From the first read until the last removal. */
  tookS: number
  /** Processor time of the process meanwhile. */
  cpuS: number
  peakMiB: number
}

/** Empties a queue, and gives how many events it took out. `begin` starts the clock. */
export type Drain<From extends DrainJob['from']> = (
  job: Extract<DrainJob, { from: From }>,
  begin: () => void,
) => Promise<number>
