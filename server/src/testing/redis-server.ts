import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { findProgram } from './needs-program.ts'

/** A real Redis on loopback, that a test can take away and give back at the same address. */
export interface RedisServer {
  url: string
  /** As a power cut would: nothing is kept. */
  kill(): Promise<void>
  /** It hangs: connections open and stay open, and nothing is answered. */
  freeze(): void
  /** It goes on where it was frozen. */
  thaw(): void
  /** Starts it again, empty. */
  restart(): Promise<void>
  /** A client for the test itself. */
  client(): Redis
  close(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a server on a free port. Only where `needsProgram('redis-server')` says that it is installed. */
export async function startRedisServer({ cluster = false } = {}): Promise<RedisServer> {
  const program = findProgram('redis-server')
  if (program === undefined) throw new Error('redis-server is not installed.')
  const folder = await mkdtemp(join(tmpdir(), 'usher-redis-'))
  const port = await freePort()
  const clients: Redis[] = []

  async function start(): Promise<ChildProcess> {
    const settings = {
      port,
      bind: '127.0.0.1',
      dir: folder,
      save: '',
      appendonly: 'no',
      daemonize: 'no',
      ...(cluster && { 'cluster-enabled': 'yes', 'cluster-announce-ip': '127.0.0.1' }),
    }
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
    const child = spawn(program ?? '', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines: string[] = []
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      if (/Ready to accept connections/.test(line)) {
        child.stdout.resume()
        return child
      }
    }
    throw new Error(`redis-server did not start:\n${lines.join('\n')}`)
  }

  let child = await start()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  const server: RedisServer = {
    url: `${cluster ? 'redis+cluster' : 'redis'}://127.0.0.1:${port}`,
    kill,
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async restart() {
      await kill()
      child = await start()
    },
    client() {
      const client = new Redis({ host: '127.0.0.1', port })
      // It goes with its server.
      client.on('error', () => {})
      clients.push(client)
      return client
    },
    async close() {
      for (const client of clients) client.disconnect()
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
  if (cluster) {
    const client = server.client()
    await client.call('cluster', 'addslotsrange', 0, 16_383)
    // It believes in itself after two seconds.
    while (!String(await client.call('cluster', 'info')).includes('cluster_state:ok')) await delay(50)
  }
  return server
}
