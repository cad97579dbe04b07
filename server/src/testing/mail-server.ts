import type { AddressInfo } from 'node:net'
import { domainToASCII } from 'node:url'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface ArrivedMail extends Email {
  envelope: { from: string; to: string[] }
  header(name: string): string | undefined
}

export interface MailServer {
  url: string
  port: number
  /** What arrived, oldest first. */
  mails: ArrivedMail[]
  /** Resolves when the next one arrives. */
  arrival(): Promise<void>
  close(): Promise<void>
}

/** A real SMTP server on loopback. `refuse` answers why it does not take a recipient, if it does not. */
export async function startMailServer(
  options: { port?: number; refuse?: (address: string) => string | undefined } = {},
): Promise<MailServer> {
  const mails: ArrivedMail[] = []
  let next = Promise.withResolvers<void>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onRcptTo({ address }, _session, done) {
      const refusal = options.refuse?.(address)
      done(refusal === undefined ? null : Object.assign(new Error(refusal), { responseCode: 550 }))
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', async () => {
        const email = await PostalMime.parse(Buffer.concat(pieces))
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          ...email,
          envelope: {
            from: mailFrom ? mailFrom.address : '',
            // This server shows domains in Unicode, whatever was sent.
            to: rcptTo.map(({ address }) =>
              address.replace(/@(.*)$/, (_, domain) => `@${domainToASCII(domain)}`),
            ),
          },
          header: name => email.headers.find(({ key }) => key === name)?.value,
        })
        next.resolve()
        next = Promise.withResolvers()
        done()
      })
    },
  })
  // Connections that break are the tests' own doing.
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    arrival: () => next.promise,
    close: () => new Promise(resolve => server.close(resolve)),
  }
}
