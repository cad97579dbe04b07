import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from '../../server/src/testing/database.ts'
import { type ArrivedMail, type MailServer, startMailServer } from '../../server/src/testing/mail-server.ts'
import { findPort, startProgram } from '../start-program.ts'
import { type Partner, startPartner } from './start-partner.ts'

export interface SignInJourney {
  partner: Partner
  database: TestDatabase
  mailServer: MailServer
  /** The tenant's origin. */
  tenant: string
  /** The newest letter to an address, once there are `count`. */
  letterTo(email: string, count?: number): Promise<{ mail: ArrivedMail; link: string; code: string }>
  close(): Promise<void>
}

const client = { id: 'partner', secret: 'the-secret-of-the-partner-of-32-characters' }

/** The platform as `npm start` starts it, with a mail server, and a partner's application beside it. */
export async function startSignIn(): Promise<SignInJourney> {
  const port = await findPort()
  const tenant = `http://members.acme.localhost:${port}`
  const database = await createTestDatabase()
  const mailServer = await startMailServer()
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
    USHER_DATABASE_URL: database.url,
    USHER_APPLY: file,
    USHER_SMTP_URL: mailServer.url,
    USHER_MAIL_FROM: 'Usher <hello@usher.example>',
  })
  await program.line(/^Usher answers at /)

  return {
    partner,
    database,
    mailServer,
    tenant,
    async letterTo(email, count = 1) {
      const found = () => mailServer.mails.filter(({ envelope }) => envelope.to.includes(email))
      while (found().length < count) await mailServer.arrival()
      const mail = found().at(-1) as ArrivedMail
      const lines = (mail.text ?? '').split(/\r?\n/)
      return {
        mail,
        link: lines.find(line => line.startsWith('http://')) ?? '',
        code: lines.find(line => /^\d{6}$/.test(line)) ?? '',
      }
    },
    async close() {
      await program.end()
      await partner.close()
      await mailServer.close()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
