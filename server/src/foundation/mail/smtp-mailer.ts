import { createTransport } from 'nodemailer'
import type { Mailer } from './mail.ts'

// A server that does not answer: the job is tried again.
const TIMEOUT_MS = 10_000

/** What an SMTP error may tell a log: its code and the server's status, not what the server said, as that quotes
 *  addresses. */
function withoutAddresses(error: unknown): Error {
  const { code, responseCode, command } = (error ?? {}) as Record<string, unknown>
  const told = [code, responseCode, command].filter(
    part => typeof part === 'string' || typeof part === 'number',
  )
  return new Error(
    `The mail server did not take a mail over (${told.join(' ') || 'no reason given'}). See USHER_SMTP_URL and the mail server's own log.`,
  )
}

const domainOf = (from: string): string => /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'

/** Sends mails to the server of an `smtp:` or `smtps:` URL, over connections that are kept for the next ones. */
export function openSmtpMailer(smtpUrl: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 4,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // A mail holds what we give it, and nothing that its texts could name.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ id, from, to, language, subject, text, html }) {
      try {
        await transport.sendMail({
          from,
          // Not as a text, which would be read as a list.
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${id}@${domainOf(from)}>`,
          headers: {
            'Content-Language': language,
            // No answers from absent people (RFC 3834 5).
            'Auto-Submitted': 'auto-generated',
            'X-Auto-Response-Suppress': 'All',
          },
        })
      } catch (error) {
        throw withoutAddresses(error)
      }
    },
    close: () => transport.close(),
  }
}
