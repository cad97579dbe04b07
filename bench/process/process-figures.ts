import { readdir, readFile } from 'node:fs/promises'

/** Ticks a second of the times in /proc; the same on every Linux that Node runs on. */
const ticksPerS = 100

interface ProcessTimes {
  parent: number
  ownS: number
  /** Of children that ended. */
  endedS: number
}

async function findTimes(pid: number | string): Promise<ProcessTimes | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  if (text === undefined) return undefined
  // The name stands in brackets and may hold anything; what follows it begins with the third field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const seconds = (field: number) => Number(fields[field - 3]) / ticksPerS
  return {
    parent: Number(fields[1]),
    ownS: seconds(14) + seconds(15),
    endedS: seconds(16) + seconds(17),
  }
}

/** Processor seconds that a process has used; NaN where the system does not say (it is not Linux). */
export async function processorTimeS(pid: number): Promise<number> {
  return (await findTimes(pid))?.ownS ?? Number.NaN
}

/** Processor seconds of a process and its children, the ended ones included, as PostgreSQL's are. */
export async function processorTimeOfFamilyS(pid: number): Promise<number> {
  const own = await findTimes(pid)
  if (!own) return Number.NaN
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const all = await Promise.all(pids.map(findTimes))
  const children = all.filter(times => times?.parent === pid)
  return children.reduce((sum, times) => sum + (times?.ownS ?? 0), own.ownS + own.endedS)
}

/** Resident memory of a process in MiB, now and at its highest; undefined where the system does not say. */
export async function residentMemory(pid: number): Promise<{ nowMiB: number; peakMiB: number } | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => undefined)
  const kib = (name: string): number => Number(text?.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'))?.[1])
  const [nowMiB, peakMiB] = [kib('VmRSS') / 1024, kib('VmHWM') / 1024]
  return Number.isNaN(nowMiB) ? undefined : { nowMiB, peakMiB }
}
