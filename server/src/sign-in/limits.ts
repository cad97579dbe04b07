import ipaddr from 'ipaddr.js'
import { RateLimiterMemory } from 'rate-limiter-flexible'

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

/** Whoever has one IPv6 address has the 2^64 of its network. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.')
}

/** Limits of this process. */
export function createNetworkLimits(): NetworkLimits {
  const forms = new RateLimiterMemory({ points: FORMS_PER_MINUTE, duration: 60 })
  const wrongCodes = new RateLimiterMemory({ points: WRONG_CODES_PER_HOUR, duration: 3_600 })
  const secondsOf = (ms: number) => Math.max(1, Math.ceil(ms / 1_000))
  return {
    async countForm(address) {
      try {
        await forms.consume(networkOf(address))
        return 0
      } catch (refusal) {
        if (refusal instanceof Error) throw refusal
        return secondsOf((refusal as { msBeforeNext: number }).msBeforeNext)
      }
    },
    async wrongCodesWait(address) {
      const counted = await wrongCodes.get(networkOf(address))
      return counted && counted.consumedPoints >= WRONG_CODES_PER_HOUR ? secondsOf(counted.msBeforeNext) : 0
    },
    async countWrongCode(address) {
      await wrongCodes.penalty(networkOf(address), 1)
    },
  }
}
