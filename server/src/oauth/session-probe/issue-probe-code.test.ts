import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Tenant } from '../../tenancy/index.ts'
import { issueProbeCode } from './issue-probe-code.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a page waits two seconds for a database that does not answer, and is told 503 then', async () => {
  const settled = vi.fn()
  const issued = issueProbeCode(
    { storeProbeCode: () => new Promise(() => {}), nowMs: Date.now },
    {
      tenant: { id: 'acme' } as Tenant,
      clientId: 'news',
      origin: 'https://news.acme.example',
      session: { sessionId: 's', member: { id: 'm' } } as Parameters<typeof issueProbeCode>[1]['session'],
    },
  )
  issued.then(settled, settled)
  await vi.advanceTimersByTimeAsync(1_999)
  expect(settled).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(settled).toHaveBeenCalledOnce()
  await expect(issued).rejects.toMatchObject({
    status: 503,
    message: 'The database does not answer. Try again shortly.',
  })
})
