import { randomFillSync } from 'node:crypto'

/** One call of the random source serves many texts: it took as long as all else that begins a sign-in. */
const pool = Buffer.alloc(4_096)
let used = pool.length

/** A secret that nobody guesses: so many random bytes, at most 4,096, in base64url. */
export function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const text = pool.toString('base64url', used, used + bytes)
  // What was given out is not kept here.
  pool.fill(0, used, used + bytes)
  used += bytes
  return text
}
