import { networkOf, type RateLimits } from '../foundation/rate-limits/index.ts'

/** What a client's network may do, whatever the addresses that it types. */
export interface NetworkLimits {
  /** Counts a form; answers the seconds to wait when there were too many, else 0. */
  countForm(address: string): Promise<number>
  /** Whether the network typed too many wrong codes; the seconds to wait, else 0. */
  wrongCodesWait(address: string): Promise<number>
  countWrongCode(address: string): Promise<void>
}

/** Beyond what a company behind one address sends. */
const FORMS_PER_MINUTE = 120
const WRONG_CODES_PER_HOUR = 100

export function createNetworkLimits(rateLimits: RateLimits): NetworkLimits {
  const forms = rateLimits.limit({ name: 'forms', most: FORMS_PER_MINUTE, windowS: 60 })
  const wrongCodes = rateLimits.limit({ name: 'wrong-codes', most: WRONG_CODES_PER_HOUR, windowS: 3_600 })
  return {
    countForm: async address => forms.count(networkOf(address)),
    wrongCodesWait: async address => wrongCodes.wait(networkOf(address)),
    async countWrongCode(address) {
      await wrongCodes.count(networkOf(address))
    },
  }
}
