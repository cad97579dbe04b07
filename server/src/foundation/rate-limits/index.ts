export { networkOf } from './network-of.ts'
export { openRateLimits, type RateLimits } from './open-rate-limits.ts'
