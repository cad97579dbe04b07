import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../foundation/logging.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../testing/database-proxy.ts'
import {
  authorizePath,
  createSignInPlatform,
  newAddress,
  pageGuards,
  type SignInPlatform,
} from '../testing/sign-in-platform.ts'
import { wordsOf } from '../testing/visitor.ts'

let proxy: DatabaseProxy
let platform: SignInPlatform
beforeAll(async () => {
  const log = createLogger(false)
  log.level = 'silent'
  platform = await createSignInPlatform(
    {},
    {
      log,
      async reachBy(databaseUrl) {
        proxy = await startDatabaseProxy(databaseUrl)
        return proxy.url
      },
    },
  )
})
afterAll(async () => {
  await platform.close()
  await proxy.close()
})

describe('while the database is away (threats, "Faults")', () => {
  test('a person is told so on a page, in their language, and it works again by itself', async () => {
    const visitor = platform.visit({ headers: { 'accept-language': 'fr' } })
    const flow = await platform.begin(visitor)
    await proxy.cut()
    const answers = [
      await visitor.get(authorizePath()),
      await visitor.get(authorizePath({ prompt: 'login' })),
      await visitor.get(flow),
      await visitor.post(flow, { email: newAddress() }),
      await visitor.get('/account'),
      await visitor.get('/oauth/logout?client_id=partner'),
    ]
    for (const answer of answers) {
      expect([answer.statusCode, wordsOf(answer.body)]).toEqual([
        503,
        expect.stringContaining('Indisponible pour le moment'),
      ])
      expect(answer.headers).toMatchObject({ ...pageGuards, 'retry-after': '1' })
    }
    // Whose page it would be cannot be found out.
    for (const path of [authorizePath(), flow, '/account']) {
      const answer = await platform.request('never-seen.example', { url: path })
      expect([path, answer.statusCode, answer.headers['retry-after']]).toEqual([path, 503, '1'])
      expect(answer.json()).toEqual({ message: expect.stringMatching(/\.$/) })
    }
    await proxy.restore()
    await expect.poll(async () => (await visitor.get(authorizePath())).statusCode).toBe(200)
  })
})
