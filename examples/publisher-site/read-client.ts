import { readDemo } from '../read-demo.ts'
import type { SiteClient } from './member-tokens.ts'

/** The site's client: what the environment says, else the demo's; undefined where there is neither, and then the site greets
 *  nobody. */
export function readClient(env: NodeJS.ProcessEnv): SiteClient | undefined {
  const { SITE_CLIENT_ID: id, SITE_CLIENT_SECRET: secret, SITE_REDIRECT_URI: redirectUri } = env
  return id && secret && redirectUri ? { id, secret, redirectUri } : readDemo(env)?.siteClient
}
