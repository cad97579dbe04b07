import { execFileSync } from 'node:child_process'

/** The memory of a process that is in use now, in MiB. */
export function residentMiB(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}
