import { acme } from '../apply-tenants.ts'
import { startDeclaredPlatform } from '../start-declared-platform.ts'
import { findPort } from '../start-program.ts'
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
  await using started = new AsyncDisposableStack()
  const port = await findPort()
  const tenant = `http://members.acme.localhost:${port}`
  const partner = await startPartner(client, () => tenant)
  started.defer(partner.close)
  const clients = [
    {
      client_id: client.id,
      name: 'Puzzle Corner',
      client_secret: client.secret,
      redirect_uris: [partner.redirectUri],
    },
  ]
  const declared = { ...acme, branding: { color: '#8b1e3f' }, ...(await on.declare?.(tenant)), clients }
  const platform = await startDeclaredPlatform(port, [declared], {
    USHER_DATABASE_URL: on.databaseUrl,
    USHER_SMTP_URL: on.smtpUrl,
    USHER_MAIL_FROM: 'Usher <hello@usher.example>',
  })
  started.defer(platform.close)
  const rest = started.move()

  return {
    partner,
    tenant,
    close: () => rest.disposeAsync(),
  }
}
