import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface ReferenceScript {
  /** The script, gzipped. */
  gzipped: Buffer
  etag: string
}

const program = fileURLToPath(import.meta.resolve('./print-reference-script.ts'))
const maxBytes = 16 * 1024 * 1024
const timeoutMs = 20_000

let loaded: Promise<ReferenceScript> | undefined

/** The script that draws the reference, made when it is first asked for. A process of its own reads it: the package
 *  holds it as text, which would cost each start 0.3 seconds and 42 MB whether anybody looks or not, and would hold
 *  up other requests if it were read later. */
export function loadReferenceScript(): Promise<ReferenceScript> {
  loaded ??= readReferenceScript().catch(error => {
    // The next one who asks tries again.
    loaded = undefined
    throw error
  })
  return loaded
}

async function readReferenceScript(): Promise<ReferenceScript> {
  const { stdout: gzipped } = await promisify(execFile)(process.execPath, [program], {
    encoding: 'buffer',
    maxBuffer: maxBytes,
    timeout: timeoutMs,
  })
  const etag = `"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 22)}"`
  return { gzipped, etag }
}
