import type { Readiness } from '@usher/contract'
import { withDeadline } from '../foundation/deadline.ts'

/** Whether requests should be sent to this process: not before migrations ran and background jobs were set up,
 *  not while the database is away, not once it stops. Never throws. */
export async function checkReadiness(
  state: 'starting' | 'started' | 'stopping',
  pingDatabase: () => Promise<void>,
  timeoutMs: number,
): Promise<Readiness> {
  if (state === 'stopping') return { status: 'unavailable', message: 'The service is stopping.' }
  if (state === 'starting') return { status: 'unavailable', message: 'The service has not started yet.' }
  try {
    await withDeadline(timeoutMs, 'The database', pingDatabase)
    return { status: 'ok' }
  } catch {
    return { status: 'unavailable', message: 'The database cannot be reached.' }
  }
}
