import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { needsProgram } from '../../testing/needs-program.ts'
import { startRedisServer } from '../../testing/redis-server.ts'
import { parseRedisUrl } from '../redis/index.ts'
import { openRateLimits } from './open-rate-limits.ts'

/** A way to a server on which answers come a byte at a time, ten milliseconds apart, while it is told to be slow. */
async function startSlowWay(port: number) {
  let isSlow = false
  const sockets: Socket[] = []
  const server = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    sockets.push(client, upstream)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.pipe(upstream)
    let last = Promise.resolve()
    const trickle = async (data: Buffer) => {
      for (const byte of data) {
        if (client.destroyed) return
        client.write(Buffer.of(byte))
        await new Promise(resolve => setTimeout(resolve, 10))
      }
    }
    upstream.on('data', data => {
      if (isSlow) last = last.then(() => trickle(data))
      else client.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    beSlow() {
      isSlow = true
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test.skipIf(needsProgram('redis-server'))(
  'a Redis whose answers trickle in is waited for no longer than one that says nothing',
  async () => {
    const redis = await startRedisServer()
    onTestFinished(() => redis.close())
    const way = await startSlowWay(Number(new URL(redis.url).port))
    onTestFinished(() => way.close())
    const told: string[] = []
    const limits = openRateLimits({
      redis: parseRedisUrl(way.url),
      markKey: Buffer.alloc(32, 5),
      tell: { away: () => told.push('away'), back: () => told.push('back') },
    })
    onTestFinished(() => limits.close())
    const limit = limits.limit({ name: 'probe', most: 5, windowS: 60 })
    let keys = 0
    await expect.poll(() => limit.count(`key ${keys++}`) instanceof Promise).toBe(true)
    way.beSlow()
    // Many are asked at once, so that there is always something on its way.
    const counts = await Promise.all(Array.from({ length: 50 }, (_, at) => limit.count(`slow ${at}`)))
    expect([counts, told]).toEqual([counts.map(() => 0), ['away']])
  },
)
