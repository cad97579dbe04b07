import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDatabase } from '../../server/src/testing/database.ts'
import { needsProgram } from '../../server/src/testing/needs-program.ts'
import { type RedisServer, startRedisServer } from '../../server/src/testing/redis-server.ts'
import { queryOnce } from './query-once.ts'
import { type FaultPlatform, prepareFaultPlatform } from './start-fault-platform.ts'

const host = 'members.acme.localhost'
const origin = 'https://news.acme.example'
const platformFile = `
tenants:
  - slug: acme
    name: Acme
    domain: ${host}
    clients:
      - client_id: news
        name: News
        redirect_uris: [${origin}/callback]
        allowed_origins: [${origin}]
`

describe.skipIf(needsProgram('redis-server'))('two processes with one Redis (interface 8)', () => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  let folder: string
  let redis: RedisServer
  let processes: FaultPlatform[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-limits-'))
    const file = join(folder, 'platform.yaml')
    await writeFile(file, platformFile)
    redis = await startRedisServer()
    const env = {
      USHER_DATABASE_URL: await createDatabase(inject('postgresUrl'), name),
      USHER_REDIS_URL: redis.url,
      USHER_SECRET_KEY: randomBytes(32).toString('base64'),
      USHER_ROLE: 'http',
      USHER_APPLY: file,
    }
    processes = [await prepareFaultPlatform(env), await prepareFaultPlatform(env)]
    await Promise.all(processes.map(process => process.start()))
  })
  afterAll(async () => {
    for (const process of processes) await process.close()
    await redis?.close()
    await queryOnce(inject('postgresUrl'), `drop database if exists ${name} with (force)`)
    await rm(folder, { recursive: true, force: true })
  })

  /** The status and Retry-After of a probe of a browser without a cookie. */
  const ask = async (process: FaultPlatform | undefined, userAgent: string) => {
    const headers = { origin, 'user-agent': userAgent }
    const answer = await process?.call({
      method: 'GET',
      host,
      path: '/oauth/session?client_id=news',
      headers,
    })
    return [answer?.status, answer?.headers['retry-after']]
  }

  test('let a browser probe 120 times a minute, whichever of them it asks', async () => {
    const client = redis.client()
    // Both are connected once both have counted there: the address, and a browser each.
    for (const [at, process] of processes.entries())
      await expect
        .poll(async () => [await ask(process, `first ${at}`), await client.dbsize()])
        .toEqual([[200, undefined], at + 2])
    for (let count = 1; count <= 120; count++)
      expect([count, await ask(processes[count % 2], 'Firefox')]).toEqual([count, [200, undefined]])
    for (const process of processes)
      expect(await ask(process, 'Firefox')).toEqual([429, expect.stringMatching(/^([1-9]|[1-5]\d|60)$/)])
    for (const process of processes) expect(await ask(process, 'Chrome')).toEqual([200, undefined])
  })
})
