import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIXES = { platform: 'usher_platform_', organization: 'usher_org_' } as const

export type KeyKind = keyof typeof PREFIXES

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6

function inBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = (DIGITS[Number(rest % 62n)] ?? '') + text
  return text
}

const checksumOf = (text: string): string => inBase62(BigInt(crc32(text)), CHECKSUM_LENGTH)

/** Makes a token: the kind's prefix, 32 random base-62 digits (190 bits), and a CRC-32 of both, so that
 *  secret scanners and a mistyped key are told without a look-up (decisions, "Keys"). */
export function makeToken(kind: KeyKind, random: (bytes: number) => Buffer = randomBytes): string {
  // 32 bytes reduced modulo 62^32: at 256 bits against 190 the bias is below 2^-65.
  const digits = inBase62(BigInt(`0x${random(32).toString('hex')}`), RANDOM_LENGTH)
  const text = PREFIXES[kind] + digits
  return text + checksumOf(text)
}

/** The kind that a token's prefix names; undefined for a token that was declared rather than made. */
export function kindOfToken(token: string): KeyKind | undefined {
  if (token.startsWith(PREFIXES.platform)) return 'platform'
  if (token.startsWith(PREFIXES.organization)) return 'organization'
  return undefined
}

/** False for a token with a made token's prefix whose checksum does not fit. */
export function hasValidChecksum(token: string): boolean {
  if (kindOfToken(token) === undefined) return true
  return checksumOf(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH)
}

/** What is stored of a token and what it is looked up by: its SHA-256, as base64url. A token has full
 *  entropy, so a fast hash is enough. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')
