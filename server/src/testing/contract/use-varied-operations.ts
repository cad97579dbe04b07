import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { platformHost } from '../whole-platform.ts'
import { type ContractPlatform, createContractPlatform, type SendOptions } from './contract-platform.ts'
import { keys } from './keys.ts'
import { operationOf } from './operations.ts'
import { describedOperations } from './routes.ts'

const tenantHost = 'members.acme.example'

/** A contract platform for the tests of this file, each of which finds its queues as they were, and variations of the
 *  good request of an operation. */
export function useVariedOperations() {
  let platform: ContractPlatform
  beforeAll(async () => {
    platform = await createContractPlatform({ USHER_COLLECT_PER_MINUTE: '0' })
  })
  afterAll(() => platform.close())
  beforeEach(() => platform.reset())

  /** Sends a variation of an operation's good request, with the credentials that it needs. */
  function vary(name: string, options: Omit<SendOptions, 'host'>) {
    const { site, key } = operationOf(name)
    return platform.send(name, {
      host: site === 'platform' ? platformHost : tenantHost,
      authorization: key === 'none' ? undefined : `Bearer ${key === 'platform' ? keys.operator : keys.acme}`,
      ...options,
    })
  }
  type Answer = Awaited<ReturnType<typeof vary>>

  /** Status and form of a refusal: one that the document has, with a message and nothing of the inside. */
  function expectRefusal(name: string, answer: Answer, what: string, statuses: readonly number[]): void {
    const { statusCode, headers } = answer
    const { inputRefusal } = operationOf(name)
    if (inputRefusal) {
      expect([what, statusCode, answer.json()]).toEqual([what, inputRefusal.status, inputRefusal.body])
      return
    }
    expect([what, statusCode]).toEqual([what, expect.toBeOneOf([...statuses])])
    expect([what, headers['content-type']]).toEqual([what, 'application/json'])
    expect([what, answer.json()]).toEqual([
      what,
      expect.objectContaining({ message: expect.stringMatching(/./) }),
    ])
    const documented = describedOperations(platform.app).get(name)?.statuses ?? []
    expect([what, documented]).toEqual([what, expect.arrayContaining([statusCode])])
  }

  return {
    /** There once the tests run. */
    get platform() {
      return platform
    },
    tenantHost,
    vary,
    expectRefusal,
    nothingChanged: async () => expect(await platform.changes()).toEqual([]),
  }
}
