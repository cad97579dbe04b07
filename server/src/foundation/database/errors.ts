/** How a failed statement is to be treated. */
export type DatabaseFault = 'unavailable' | 'retry' | 'bad_data' | 'other'

const RETRY = new Set(['40001', '40P01', '55P03'])
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '25006', // read-only: a primary that became a standby
])
// pg, and Kysely once it is closed, report these as plain errors without a code.
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|driver has already been destroyed)/

/** Sorts an error by what its SQLSTATE or system code says. The classes are those of PostgreSQL's
 *  appendix A: 08 connection, 53 resources, 57 operator, 58 system; 22 data, 23 constraint. */
export function classifyDatabaseError(error: unknown): DatabaseFault {
  if (!(error instanceof Error)) return 'other'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (RETRY.has(code)) return 'retry'
  if (UNAVAILABLE_CODES.has(code)) return 'unavailable'
  if (code.length === 5 && UNAVAILABLE_CLASSES.has(code.slice(0, 2))) return 'unavailable'
  if (code.length === 5 && /^2[23]/.test(code)) return 'bad_data'
  if (code === '' && UNAVAILABLE_MESSAGES.test(error.message)) return 'unavailable'
  return error.cause ? classifyDatabaseError(error.cause) : 'other'
}

/** True when the error says that the database cannot be reached or cannot serve now. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const fault = classifyDatabaseError(error)
  return fault === 'unavailable' || fault === 'retry'
}
