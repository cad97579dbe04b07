import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface ReferenceScript {
  /** The script, gzipped. */
  gzipped: Buffer
  etag: string
}

let loaded: Promise<ReferenceScript> | undefined

/** The script that draws the reference, once it is first asked for. It is read in a thread of its own: the package
 *  holds it as text, which would cost every start 0.3 seconds and 42 MB, whether anybody looks or not. */
export function loadReferenceScript(): Promise<ReferenceScript> {
  loaded ??= readReferenceScript().catch(error => {
    // The next one who asks tries again.
    loaded = undefined
    throw error
  })
  return loaded
}

async function readReferenceScript(): Promise<ReferenceScript> {
  const worker = new Worker(new URL('./reference-script.worker.ts', import.meta.url), { execArgv: [] })
  try {
    const [message] = await once(worker, 'message')
    const gzipped = Buffer.from(message)
    return { gzipped, etag: `"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 22)}"` }
  } finally {
    await worker.terminate()
  }
}
