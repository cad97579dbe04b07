import { randomBytes } from 'node:crypto'

const hexPairs = Buffer.from(
  Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''),
  'latin1',
)

function writeHex32(target: Buffer, at: number, value: number): void {
  for (let place = at + 6, rest = value; place >= at; place -= 2, rest >>>= 8) {
    const pair = (rest & 0xff) * 2
    target[place] = hexPairs[pair] ?? 0
    target[place + 1] = hexPairs[pair + 1] ?? 0
  }
}

/** Writes ids in the form of UUIDv7 (RFC 9562 5.7) into bytes: time first and scattered within one
 *  millisecond, as the ids of many browsers are, but unique for sure. `setTime` gives the time of the
 *  ids that follow; `writeId` writes the next one as 36 characters. */
export function eventIdWriter(random: (bytes: number) => Buffer = randomBytes) {
  const id = Buffer.from('00000000-0000-7000-8000-000000000000', 'latin1')
  // 28 bits that tell this process from another; the counter tells its ids from each other.
  const own = random(4).toString('hex')
  id.write(own.slice(0, 3), 20, 'latin1')
  id.write(own.slice(3, 7), 24, 'latin1')
  let counter = 0

  return {
    setTime(ms: number): void {
      const hex = ms.toString(16).padStart(12, '0')
      id.write(hex.slice(0, 8), 0, 'latin1')
      id.write(hex.slice(8), 9, 'latin1')
    },
    writeId(target: Buffer, at: number): void {
      counter = (counter + 1) >>> 0
      // An odd factor maps the 32 bits onto themselves, so no two counts give the same value.
      const scattered = Math.imul(counter, 0x9e37_79b1) >>> 0
      writeHex32(id, 28, scattered)
      // The three digits after the version decide the order within a millisecond.
      id.copyWithin(15, 33, 36)
      target.set(id, at)
    },
  }
}
