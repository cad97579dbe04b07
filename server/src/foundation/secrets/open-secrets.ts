import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { StartError } from '../start-error.ts'

/** Keeps secrets with the keys of USHER_SECRET_KEY, which are not in the database. A purpose separates: what was
 *  sealed or marked for one means nothing for another, so a purpose may name whose the secret is. */
export interface Secrets {
  /** Encrypts and authenticates with the newest key. */
  seal(purpose: string, plain: Buffer): Buffer
  /** What was sealed with any of the keys. Throws when it was changed or sealed for another purpose, and a StartError
   *  when the key is not there any more. */
  open(purpose: string, sealed: Buffer): Buffer
  /** HMAC-SHA-256 with the newest key: 32 bytes. */
  hmac(purpose: string, text: string): Buffer
  /** Whether an HMAC is that of the text with any of the keys. */
  verifyHmac(purpose: string, text: string, mac: Buffer): boolean
}

// A sealed text: version, id of the key, nonce, ciphertext, tag.
const VERSION = 1
const KEY_ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + KEY_ID_BYTES

interface Key {
  id: Buffer
  derive(use: string): Buffer
}

function toKey(secret: Buffer): Key {
  // HKDF (RFC 5869) without a salt: the keys are uniformly random.
  const derive = (use: string, bytes = 32) =>
    Buffer.from(hkdfSync('sha256', secret, '', `usher ${use}`, bytes))
  return { id: derive('key id', KEY_ID_BYTES), derive }
}

/** Opens the keys, 32 bytes each, the newest first: that one seals, all of them open. Throws without a key or with
 *  one of another length. */
export function openSecrets(secretKeys: readonly Buffer[]): Secrets {
  if (secretKeys.some(key => key.length !== 32)) throw new Error('A secret key has 32 bytes.')
  const keys = secretKeys.map(toKey)
  const [newest] = keys
  if (!newest) throw new Error('At least one secret key is needed.')

  const macOf = (key: Key, purpose: string, text: string) =>
    createHmac('sha256', key.derive(`hmac ${purpose}`))
      .update(text)
      .digest()

  return {
    seal(purpose, plain) {
      const head = Buffer.concat([Buffer.of(VERSION), newest.id])
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', newest.derive(`seal ${purpose}`), nonce)
      cipher.setAAD(head)
      return Buffer.concat([head, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(purpose, sealed) {
      if (sealed.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || sealed[0] !== VERSION)
        throw new Error('This is not a sealed secret.')
      const head = sealed.subarray(0, HEAD_BYTES)
      const key = keys.find(({ id }) => id.equals(head.subarray(1)))
      if (!key)
        throw new StartError(
          'A secret was sealed with a key that USHER_SECRET_KEY does not hold any more. Add that key to the end of the list.',
        )
      const nonce = sealed.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key.derive(`seal ${purpose}`), nonce)
      decipher.setAAD(head).setAuthTag(sealed.subarray(-TAG_BYTES))
      const begun = decipher.update(sealed.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([begun, decipher.final()])
    },
    hmac: (purpose, text) => macOf(newest, purpose, text),
    verifyHmac: (purpose, text, mac) =>
      mac.length === 32 && keys.some(key => timingSafeEqual(macOf(key, purpose, text), mac)),
  }
}
