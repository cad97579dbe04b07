import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/**
 * A way to a port of this machine, named later with `leadTo`, on which everything takes `delayMs` to arrive, and on which
 * what is under way is lost when the sender hangs up.
 */
export async function startSlowNetwork(delayMs: number) {
  let toPort = 0
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const far = connect(toPort, '127.0.0.1')
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('data', chunk => {
        setTimeout(() => {
          if (!client.destroyed && !to.destroyed) to.write(chunk)
        }, delayMs)
      })
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port: number): void {
      toPort = port
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
