import { createServer } from 'node:net'
import { join } from 'node:path'

/** Where the server listens: on a socket in its own folder, or on a port of 127.0.0.1. */
export interface Endpoint {
  socketDir?: string
  port: number
}

/** The name of a socket ends with a port number; nothing listens on that port. */
const SOCKET_PORT = 5432

/** What fits into sockaddr_un, without the closing NUL. */
const SOCKET_PATH_MAX_BYTES = process.platform === 'darwin' ? 103 : 107

/**
 * A Unix socket where the platform has them and the path is short enough: faster than TCP, out of other
 * users' reach, and never taken by another program. Otherwise a free port.
 */
export async function chooseEndpoint(clusterDir: string): Promise<Endpoint> {
  const socketBytes = Buffer.byteLength(join(clusterDir, `.s.PGSQL.${SOCKET_PORT}`))
  if (process.platform !== 'win32' && socketBytes <= SOCKET_PATH_MAX_BYTES) {
    return { socketDir: clusterDir, port: SOCKET_PORT }
  }
  return { port: await findFreePort() }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}

/**
 * The URL in the form that `pg`, libpq and the WHATWG parser all read: a socket's folder stands in `host`.
 * `sslmode` is said so that a PGSSLMODE in the environment, meant for another server, does no harm.
 */
export function databaseUrl(endpoint: Endpoint, password: string, database = 'usher'): string {
  const { socketDir, port } = endpoint
  const where = socketDir === undefined ? `127.0.0.1:${port}` : `localhost:${port}`
  const host = socketDir === undefined ? '' : `&host=${encodeURIComponent(socketDir)}`
  return `postgres://usher:${password}@${where}/${database}?sslmode=disable${host}`
}
