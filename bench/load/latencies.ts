/** Counts of latencies: `fine` in steps of 10 µs below 100 ms, `coarse` in steps of 1 ms up to 30 s. */
export interface LatencyCounts {
  fine: Uint32Array
  coarse: Uint32Array
}

const fineStepMs = 0.01
const fineSteps = 10_000
const fineEndMs = fineStepMs * fineSteps
const coarseSteps = 30_000

/** No latencies yet. */
export function noLatencies(): LatencyCounts {
  return { fine: new Uint32Array(fineSteps), coarse: new Uint32Array(coarseSteps) }
}

/** Counts one latency; what took longer than 30 s counts as 30 s. */
export function countLatency({ fine, coarse }: LatencyCounts, latencyMs: number): void {
  if (latencyMs < fineEndMs) {
    const at = (latencyMs / fineStepMs) | 0
    fine[at] = (fine[at] ?? 0) + 1
  } else {
    const at = Math.min(latencyMs | 0, coarseSteps - 1)
    coarse[at] = (coarse[at] ?? 0) + 1
  }
}

/** The sum of several counts. */
export function mergeLatencies(parts: readonly LatencyCounts[]): LatencyCounts {
  const merged = noLatencies()
  for (const { fine, coarse } of parts) {
    for (let at = 0; at < fineSteps; at++) merged.fine[at] = (merged.fine[at] ?? 0) + (fine[at] ?? 0)
    for (let at = 0; at < coarseSteps; at++) merged.coarse[at] = (merged.coarse[at] ?? 0) + (coarse[at] ?? 0)
  }
  return merged
}

/** The latency in ms that a share of all, from 0 to 1, did not exceed; NaN when none was counted. */
export function latencyAt({ fine, coarse }: LatencyCounts, share: number): number {
  let total = 0
  for (const count of fine) total += count
  for (const count of coarse) total += count
  if (total === 0) return Number.NaN
  let left = Math.max(1, Math.ceil(total * share))
  for (const [at, count] of fine.entries()) {
    left -= count
    if (left <= 0) return (at + 1) * fineStepMs
  }
  for (const [at, count] of coarse.entries()) {
    left -= count
    if (left <= 0) return at + 1
  }
  return coarseSteps
}
