import { acme, applyTenants } from '../apply-tenants.ts'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'
import { findPort, type Program, startProgram } from '../start-program.ts'
import { type Letter, waitForLetter } from './read-mailbox.ts'

export interface PartnerApp {
  app: Program
  /** Where the application is. */
  origin: string
}

const client = { id: 'saltern', secret: 'the-secret-of-saltern-pictures-0123456789' }

/** The example's application with a client of its own, at any port. */
export async function startPartnerApp(
  platform: RunningPlatform,
  env: Record<string, string> = {},
): Promise<PartnerApp> {
  const origin = `http://127.0.0.1:${await findPort()}`
  await applyTenants(platform, [
    {
      ...acme,
      clients: [
        {
          client_id: client.id,
          name: 'Saltern Pictures',
          client_secret: client.secret,
          redirect_uris: [`${origin}/callback`],
          post_logout_redirect_uris: [`${origin}/?signed-out`],
          pkce_required: true,
        },
      ],
    },
  ])
  const app = startProgram('examples/partner-app/main.ts', {
    ISSUER: platform.tenantUrl,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
    REDIRECT_URI: `${origin}/callback`,
    PUBLISHER: 'Acme Daily',
    ...env,
  })
  await app.line(/^Saltern Pictures is at /)
  return { app, origin }
}

export interface PartnerJourney extends PartnerApp {
  platform: RunningPlatform
  /** The newest letter to an address, once there are `count`. */
  letterTo(email: string, count?: number): Promise<Letter>
  close(): Promise<void>
}

/** The platform as `npm start` starts it, and the example's application. `env` is more of the application's settings. */
export async function startPartnerJourney(env: Record<string, string> = {}): Promise<PartnerJourney> {
  const platform = await startPlatform()
  const partner = await startPartnerApp(platform, env)
  return {
    ...partner,
    platform,
    letterTo: (email, count = 1) => waitForLetter(platform.port, email, count),
    async close() {
      await partner.app.end()
      await platform.close()
    },
  }
}
