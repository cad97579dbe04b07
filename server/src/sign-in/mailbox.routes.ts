import type { FastifyInstance } from 'fastify'
import type { Mailbox } from '../foundation/mail/index.ts'
import { toIso } from '../foundation/time.ts'
import { mailboxPage } from './mailbox-page.ts'

// Mails bring styles of their own, and perhaps a tenant's logo; neither scripts nor forms.
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src https: http: data:; frame-ancestors 'none'; base-uri 'none'"

/** The mailbox of a platform in development, as a page and as JSON (decisions, "First start, and configuration"). */
export function mailboxRoutes(mailbox: Mailbox) {
  return async (app: FastifyInstance): Promise<void> => {
    const options = { config: { site: 'platform' }, schema: { hide: true } } as const
    app.get('/dev/mailbox', options, (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .header('cache-control', 'no-store')
        .header('referrer-policy', 'no-referrer')
        .send(mailboxPage(mailbox.list())),
    )
    app.get('/dev/mailbox.json', options, (_request, reply) =>
      reply.header('cache-control', 'no-store').send({
        data: mailbox.list().map(({ receivedAt, ...mail }) => ({ ...mail, received_at: toIso(receivedAt) })),
      }),
    )
  }
}
