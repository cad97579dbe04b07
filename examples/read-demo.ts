import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface DemoClient {
  id: string
  secret: string
  redirectUri: string
}

/** What the platform wrote of its demo tenant at its first start. */
export interface DemoTenant {
  name: string
  domain: string
  /** The partner's application. */
  client?: DemoClient
  /** The publisher's own site. */
  siteClient?: DemoClient
}

/** The demo tenant of the platform whose data folder the environment names; undefined where there is none. */
export function readDemo(env: NodeJS.ProcessEnv): DemoTenant | undefined {
  try {
    return JSON.parse(readFileSync(join(env.USHER_DATA_DIR ?? 'data', 'demo.json'), 'utf8')).tenant
  } catch {
    return undefined
  }
}
