/**
 * Makes UUIDv7s (RFC 9562, 5.7), each greater than the one before, also within a millisecond and when
 * the clock is moved back: `rand_a` is a counter that starts at random in the lower half of its range.
 */
export function createIdSource(now: () => number, randomBytes: (length: number) => Uint8Array): () => string {
  let lastMs = 0
  let counter = 0
  return () => {
    const hex = Array.from(randomBytes(10), byte => byte.toString(16).padStart(2, '0')).join('')
    const nowMs = now()
    if (nowMs > lastMs) {
      lastMs = nowMs
      counter = Number.parseInt(hex.slice(0, 3), 16) & 0x7ff
    } else if (++counter > 0xfff) {
      lastMs++
      counter = 0
    }
    const time = lastMs.toString(16).padStart(12, '0')
    const variant = (8 + (Number.parseInt(hex.slice(3, 4), 16) & 3)).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${hex.slice(4, 7)}-${hex.slice(8)}`
  }
}
