import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A way to the database that a test can take away, and give back at the same address. */
export interface DatabaseProxy {
  url: string
  /** Connections that go through it now. */
  connections(): number
  /** The database is away: nobody listens, and the open connections break. */
  cut(): Promise<void>
  /** The database hangs: connections open and stay open, and nothing is ever answered. */
  freeze(): void
  /** The way to the database is lost without a word, and there is another: the open connections are never
   *  answered again, new ones are. */
  strand(): void
  /** As at the start. What was sent meanwhile on connections that are still open goes on its way. */
  restore(): Promise<void>
  close(): Promise<void>
}

type Pair = readonly [client: Socket, upstream: Socket]

function connectTo(url: URL): () => Socket {
  const port = Number(url.port || 5432)
  // pg and libpq take the folder of a Unix socket as host.
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  return () => (host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host))
}

/** Stands between the program and the database of `url`. */
export async function startDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url)
  const open = connectTo(target)
  const pairs = new Set<Pair>()
  const silent = new Set<Pair>()
  let frozen = false

  const join = (pair: Pair) => {
    const [client, upstream] = pair
    silent.delete(pair)
    client.pipe(upstream)
    upstream.pipe(client)
  }
  const silence = () => {
    for (const pair of pairs) {
      const [client, upstream] = pair
      client.unpipe(upstream).pause()
      upstream.unpipe(client).pause()
      silent.add(pair)
    }
  }
  const accept = (client: Socket) => {
    const upstream = open()
    const pair: Pair = [client, upstream]
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        silent.delete(pair)
        client.destroy()
        upstream.destroy()
      })
    }
    if (frozen) silent.add(pair)
    else join(pair)
  }
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(accept).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  let server: Server | undefined = await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async () => {
    for (const [client, upstream] of pairs) {
      client.destroy()
      upstream.destroy()
    }
    if (!server) return
    const closing = server
    server = undefined
    closing.close()
    await once(closing, 'close')
  }

  const through = new URL(target)
  through.hostname = '127.0.0.1'
  through.port = String(port)
  through.searchParams.delete('host')
  return {
    url: through.href,
    connections: () => pairs.size,
    cut,
    freeze() {
      frozen = true
      silence()
    },
    strand() {
      frozen = false
      silence()
    },
    async restore() {
      server ??= await listen(port)
      frozen = false
      for (const pair of [...silent]) join(pair)
    },
    close: cut,
  }
}
