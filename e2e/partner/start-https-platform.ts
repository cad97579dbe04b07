import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { acme } from '../apply-tenants.ts'
import { startDeclaredPlatform } from '../start-declared-platform.ts'
import { findPort } from '../start-program.ts'
import { type Letter, waitForLetter } from './read-mailbox.ts'

export interface HttpsPlatform {
  /** The tenant's address: https, and a name that every machine knows. */
  issuer: string
  client: { id: string; secret: string; redirectUri: string }
  /** The certificate, in PEM, which nobody trusts by itself, and the file that it is in. */
  certificate: string
  certificateFile: string
  letterTo(email: string): Promise<Letter>
  close(): Promise<void>
}

/** The platform under https, as in production, with a proxy before it that ends TLS. Its tenant is `localhost` itself, so
 *  that clients need no setting but to trust the certificate. Needs openssl. */
export async function startHttpsPlatform(redirectUri: string): Promise<HttpsPlatform> {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'usher-https-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const port = await findPort()
  const tlsPort = await findPort()
  const client = { id: 'stranger', secret: 'the-secret-of-the-stranger-0123456789', redirectUri }
  const certificateFile = join(folder, 'certificate.pem')
  const keyFile = join(folder, 'key.pem')
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ...['-keyout', keyFile, '-out', certificateFile],
  ])
  const certificate = await readFile(certificateFile, 'utf8')

  const sockets = new Set<TLSSocket>()
  const proxy = createServer({ cert: certificate, key: await readFile(keyFile) }, socket => {
    sockets.add(socket)
    const platform = connect(port, '127.0.0.1')
    const end = () => {
      sockets.delete(socket)
      socket.destroy()
      platform.destroy()
    }
    socket.on('error', end).on('close', end).pipe(platform)
    platform.on('error', end).on('close', end).pipe(socket)
  })
  await new Promise<void>(resolve => proxy.listen(tlsPort, 'localhost', resolve))
  started.defer(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => proxy.close(resolve))
  })
  const { id: client_id, secret: client_secret } = client
  const declared = { client_id, client_secret, redirect_uris: [redirectUri], pkce_required: true }
  const platform = await startDeclaredPlatform(
    port,
    [{ ...acme, domain: 'localhost', clients: [{ ...declared, name: 'A Stranger' }] }],
    { USHER_PUBLIC_URL: `https://platform.localhost:${tlsPort}` },
  )
  started.defer(platform.close)
  const rest = started.move()
  return {
    issuer: `https://localhost:${tlsPort}`,
    client,
    certificate,
    certificateFile,
    letterTo: email => waitForLetter(port, email),
    close: () => rest.disposeAsync(),
  }
}
