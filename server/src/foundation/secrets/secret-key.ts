import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../start-error.ts'

const KEY_BYTES = 32
const FILE = 'secret-key'

/** Reads USHER_SECRET_KEY: keys of 32 bytes in base64, separated by commas, the newest first. Throws an Error that
 *  says what is wrong, and does not quote it. */
export function parseSecretKeys(text: string): Buffer[] {
  return text.split(',').map(part => {
    const key = Buffer.from(part.trim(), 'base64')
    if (key.length !== KEY_BYTES || key.toString('base64') !== part.trim())
      throw new Error(
        'must be 32 bytes in base64, as "openssl rand -base64 32" makes them, or a list of such keys separated by commas',
      )
    return key
  })
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The secret key of a data folder, for this user only; made at the first call, of several processes by one. Throws
 *  a StartError when the file does not hold one. */
export async function keepSecretKey(dataDir: string): Promise<Buffer[]> {
  const file = join(dataDir, FILE)
  let text = await readIfThere(file)
  if (text === undefined) {
    await mkdir(dataDir, { recursive: true })
    const written = `${file}.${randomBytes(6).toString('hex')}.new`
    await writeFile(written, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 })
    try {
      // Unlike a rename it does not replace the key that another process has made meanwhile.
      await link(written, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      await rm(written)
    }
    text = await readFile(file, 'utf8')
  }
  try {
    return parseSecretKeys(text)
  } catch {
    throw new StartError(
      `${file} does not hold a secret key of 32 bytes in base64. Restore it: without it, what it sealed is lost.`,
    )
  }
}
