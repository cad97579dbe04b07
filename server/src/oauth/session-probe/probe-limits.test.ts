import { afterEach, expect, test } from 'vitest'
import { openRateLimits } from '../../foundation/rate-limits/index.ts'
import { createProbeLimits } from './probe-limits.ts'

const rateLimits = openRateLimits({ markKey: Buffer.alloc(32), tell: { away() {}, back() {} } })
afterEach(() => rateLimits.close())

test('what is counted for a browser holds neither its session cookies nor its address', async () => {
  const counted: string[] = []
  const limits = createProbeLimits(
    {
      ...rateLimits,
      limit(options) {
        const limit = rateLimits.limit(options)
        const count = (key: string) => {
          counted.push(key)
          return limit.count(key)
        }
        return { ...limit, count }
      },
    },
    { sessionCookieValues: header => header?.split('; ') ?? [] },
  )
  const browser = { userAgent: 'Firefox/151', address: '203.0.113.77' }
  for (const cookieHeader of ['first-token; second-token', undefined])
    await limits.countBrowser({ ...browser, cookieHeader }, 'tenant', 'news')
  expect(counted).toHaveLength(2)
  for (const key of counted) expect(key).toMatch(/^tenant news [\w-]{43}$/)
})
