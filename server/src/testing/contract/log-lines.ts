import { createLogger, type Logger } from '../../foundation/logging.ts'

/** Sent along with every request of the contract tests, and nothing that may be written down. */
export const canaries = { cookie: 'cookie-canary-6f1c', query: 'query-canary-92ab', body: 'body-canary-71de' }

export interface LogCapture {
  log: Logger
  lines: string[]
  /** Lines that hold something secret: one of these, a canary, a mail address, or a query. */
  linesWithSecrets(secrets: Iterable<string>): string[]
}

const MAIL_ADDRESS = /[\w.+-]+@[\w-]+\.\w+/
const QUERY = /\?[\w%[\].-]+=/

/** The platform's log as it is in production, but kept here, and with what only a debugger would see. */
export function captureLog(): LogCapture {
  const lines: string[] = []
  const log = createLogger(true, { write: line => lines.push(line) })
  log.level = 'trace'
  return {
    log,
    lines,
    linesWithSecrets(secrets) {
      const forbidden = [...secrets, ...Object.values(canaries)]
      return lines.filter(
        line =>
          MAIL_ADDRESS.test(line) || QUERY.test(line) || forbidden.some(secret => line.includes(secret)),
      )
    },
  }
}
