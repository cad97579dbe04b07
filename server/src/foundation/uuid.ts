import { randomFillSync } from 'node:crypto'

/** Makes UUIDs of version 7 (RFC 9562 5.7), each greater than the one before, also when many fall into
 *  one millisecond or the clock moves back. `nowMs` answers Unix milliseconds; `fill` fills with random. */
export function uuidv7Maker(
  nowMs: () => number = Date.now,
  fill: (buffer: Buffer) => void = randomFillSync,
): () => string {
  // One call of the random source serves many ids: 4 bytes for a millisecond's seed, 6 for each id.
  const pool = Buffer.alloc(4_096)
  let used = pool.length
  const take = (bytes: number): number => {
    if (used + bytes > pool.length) {
      fill(pool)
      used = 0
    }
    used += bytes
    return used - bytes
  }

  let lastMs = 0
  // 32 bits after the time, RFC 9562 6.2 method 1: seeded below 2^31 each millisecond, then counting.
  let counter = 0
  return () => {
    const ms = nowMs()
    if (ms > lastMs) {
      lastMs = ms
      counter = pool.readUInt32BE(take(4)) >>> 1
    } else if (++counter > 0xffff_ffff) {
      lastMs++
      counter = 0
    }
    const at = take(6)
    const time = lastMs.toString(16).padStart(12, '0')
    const high = (counter >>> 20).toString(16).padStart(3, '0')
    const middle = (0x8000 | ((counter >>> 6) & 0x3fff)).toString(16)
    const low = (((counter & 0x3f) << 2) | (pool.readUInt8(at) & 0x03)).toString(16).padStart(2, '0')
    const random = pool.toString('hex', at + 1, at + 6)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${middle}-${low}${random}`
  }
}

/** A new UUID of version 7. Ids of one process rise. */
export const uuidv7 = uuidv7Maker()
