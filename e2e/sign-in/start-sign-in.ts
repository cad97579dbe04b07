import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPort, startProgram } from '../start-program.ts'
import { type Partner, startPartner } from './start-partner.ts'

export interface SignInJourney {
  partner: Partner
  /** The tenant's origin. */
  tenant: string
  close(): Promise<void>
}

const client = { id: 'partner', secret: 'the-secret-of-the-partner-of-32-characters' }

/** The platform as `npm start` starts it, on a database and with a mail server, and a partner's application beside it.
 *  `declare` answers what else the platform file says of the tenant, whose origin it is given. */
export async function startSignIn(on: {
  databaseUrl: string
  smtpUrl: string
  declare?(tenant: string): Promise<object>
}): Promise<SignInJourney> {
  const port = await findPort()
  const tenant = `http://members.acme.localhost:${port}`
  const partner = await startPartner(client, () => tenant)
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-sign-in-'))
  const file = join(dataDir, 'platform.yaml')
  await writeFile(
    file,
    JSON.stringify({
      tenants: [
        {
          slug: 'acme',
          name: 'Acme Daily',
          domain: 'members.acme.localhost',
          branding: { color: '#8b1e3f' },
          ...(await on.declare?.(tenant)),
          clients: [
            {
              client_id: client.id,
              name: 'Puzzle Corner',
              client_secret: client.secret,
              redirect_uris: [partner.redirectUri],
            },
          ],
        },
      ],
    }),
  )
  const program = startProgram('server/src/main.ts', {
    USHER_PORT: `${port}`,
    USHER_DATA_DIR: dataDir,
    USHER_DATABASE_URL: on.databaseUrl,
    USHER_APPLY: file,
    USHER_SMTP_URL: on.smtpUrl,
    USHER_MAIL_FROM: 'Usher <hello@usher.example>',
  })
  await program.line(/^Usher answers at /)

  return {
    partner,
    tenant,
    async close() {
      await program.end()
      await partner.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
