import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'
import { findPort, type Program, startProgram } from '../start-program.ts'
import { type Letter, waitForLetter } from './read-mailbox.ts'

export interface PartnerJourney {
  platform: RunningPlatform
  app: Program
  /** Where the application is. */
  origin: string
  /** The newest letter to an address, once there are `count`. */
  letterTo(email: string, count?: number): Promise<Letter>
  close(): Promise<void>
}

const client = { id: 'saltern', secret: 'the-secret-of-saltern-pictures-0123456789' }

/** The platform as `npm start` starts it, and the example's application with a client of its own, at any port. */
export async function startPartnerApp(): Promise<PartnerJourney> {
  const platform = await startPlatform()
  const port = await findPort()
  const origin = `http://127.0.0.1:${port}`
  const folder = await mkdtemp(join(tmpdir(), 'usher-partner-'))
  const file = join(folder, 'platform.yaml')
  await writeFile(
    file,
    JSON.stringify({
      tenants: [
        {
          slug: 'acme',
          name: 'Acme Daily',
          domain: 'members.acme.localhost',
          clients: [
            {
              client_id: client.id,
              name: 'Saltern Pictures',
              client_secret: client.secret,
              redirect_uris: [`${origin}/callback`],
              pkce_required: true,
            },
          ],
        },
      ],
    }),
  )
  const apply = startProgram(
    'server/src/cli.ts',
    { USHER_PORT: `${platform.port}`, USHER_DATA_DIR: platform.dataDir },
    { args: ['apply', file] },
  )
  if ((await apply.over) !== 0) throw new Error(apply.lines.join('\n'))
  const app = startProgram('examples/partner-app/main.ts', {
    ISSUER: platform.tenantUrl,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
    REDIRECT_URI: `${origin}/callback`,
    PUBLISHER: 'Acme Daily',
  })
  await app.line(/^Saltern Pictures is at /)
  return {
    platform,
    app,
    origin,
    letterTo: (email, count = 1) => waitForLetter(platform.port, email, count),
    async close() {
      await app.end()
      await platform.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
