import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Settings {
  url: string
  key: string
}

/**
 * Where the platform is and with which key to read: from the environment, else what the platform wrote
 * for its demo tenant at its first start. Throws an error that says what to set.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { USHER_URL: url = 'http://platform.localhost:3000', USHER_KEY: key } = env
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Error("USHER_URL must be the platform's http or https address.")
  if (key) return { url, key }
  const file = join(env.USHER_DATA_DIR ?? 'data', 'demo.json')
  try {
    const demoKey = JSON.parse(readFileSync(file, 'utf8')).tenant?.consumerKey
    if (typeof demoKey === 'string') return { url, key: demoKey }
  } catch {
    // As unusable as one without a key.
  }
  throw new Error(
    `There is no key to read the queue with: set USHER_KEY, or start the platform here first, which writes one to ${file}.`,
  )
}
