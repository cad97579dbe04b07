import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectToRedis } from './redis-connection.ts'

test('replies are read the same however they are cut into chunks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-redis-'))
  const replies = ['*3\r\n$5\r\nrécd\r\n$0\r\n\r\n*2\r\n:7\r\n$-1\r\n', '+OK\r\n', '-ERR no\r\n']
  const server = createServer(socket => {
    socket.on('data', async () => {
      for (const byte of Buffer.from(replies.shift() ?? '')) {
        await new Promise<void>(resolve => socket.write(Buffer.from([byte]), () => resolve()))
      }
    })
  })
  await new Promise<void>(resolve => server.listen(join(folder, 's'), resolve))
  const redis = await connectToRedis(join(folder, 's'))
  try {
    expect(await redis.command('LRANGE', 'queue', 0, 2)).toEqual(['récd', '', [7, null]])
    expect(await redis.command('LTRIM', 'queue', 1, -1)).toBe('OK')
    await expect(redis.command('NO')).rejects.toThrow('Redis: ERR no')
  } finally {
    redis.close()
    server.close()
    await rm(folder, { recursive: true })
  }
})
