import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'

export type { Logger }

/** Names under which something secret travels, at any of the depths that are logged. */
const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'token',
  'password',
  'client_secret',
  'email',
  'code',
]

/** The process's log: JSON lines on standard output or another destination, from `info` in production and
 *  from `warn` in development, where the terminal belongs to what main prints. */
export function createLogger(isProduction: boolean, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level: isProduction ? 'info' : 'warn',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: secretNames.flatMap(name => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: '[cut]',
    },
    serializers: {
      // A query can carry codes and tokens; headers can carry keys.
      req: (request: { method?: string; url?: string }) => ({
        method: request.method,
        path: request.url?.split('?', 1)[0],
      }),
      err: (error: unknown) => (error instanceof Error ? errorFields(error) : { message: String(error) }),
    },
  }
  return pino(options, destination)
}

/** An error as it may be logged. Not its own properties: PostgreSQL's `detail` quotes the values of rows. */
function errorFields(error: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = { name: error.name, message: error.message, stack: error.stack }
  // Not as `code`, which would be cut like one that signs somebody in.
  if ('code' in error) fields.error_code = error.code
  if (error.cause instanceof Error) fields.cause = errorFields(error.cause)
  return fields
}
