import { hash, randomBytes } from 'node:crypto'

/** So that a secret that leaked into a repository is known for what it is. */
const PREFIX = 'usher_client_'

/** Makes a client's secret: 256 random bits. */
export const makeSecret = (): string => PREFIX + randomBytes(32).toString('base64url')

/** Makes a client's id. */
export const makeClientId = (): string => randomBytes(12).toString('hex')

/** What is kept of a secret: it has full entropy, so a fast hash is enough. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')
