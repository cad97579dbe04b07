import { hash } from 'node:crypto'
import { randomText } from '../foundation/random-text.ts'

/** Makes a code: 64 characters, 384 random bits. */
export const makeCode = (): string => randomText(48)

/** What is kept of a code: it has full entropy, so a fast hash is enough. */
export const hashCode = (code: string): Buffer => hash('sha256', code, 'buffer')

/** How long a code can be exchanged, in seconds, by where it comes from (interface 8). */
export const codeLifetimeS = { interactive: 60, probe: 30, prompt_none: 600 } as const

/** Where a code comes from, which says how long it lives and what its token rides (interface 2.6). */
export type CodeOrigin = keyof typeof codeLifetimeS
