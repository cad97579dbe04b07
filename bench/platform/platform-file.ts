import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { client } from '../exchanges/code-server.ts'

/** The tenant that is measured. */
export interface BenchTenant {
  domain: string
  /** Where a site of the publisher's may listen, whose origin is registered. */
  sitePort: number
  consumerToken: string
}

/** Writes a platform file that declares a tenant with its queue, a consumer's key and a client. */
export async function writePlatformFile(
  folder: string,
  sitePort: number,
): Promise<{ file: string; tenant: BenchTenant }> {
  const tenant = {
    domain: 'members.bench.localhost',
    sitePort,
    consumerToken: randomBytes(24).toString('hex'),
  }
  const file = join(folder, 'platform.yaml')
  const text = `operators: [operator@bench.localhost]
tenants:
  - slug: bench
    name: Bench Daily
    domain: ${tenant.domain}
    cookie_domain: bench.localhost
    flags: [UseQueueEvents]
    staff: [{ email: administrator@bench.localhost, role: administrator }]
    keys:
      - name: consumer
        user: administrator@bench.localhost
        token: ${tenant.consumerToken}
        abilities: [events:read, events:delete, health:read]
    clients:
      - client_id: ${client.id}
        name: Bench
        client_secret: ${client.secret}
        redirect_uris: ['${client.redirectUri}']
        allowed_origins: ['${client.origin}', 'http://news.bench.localhost:${sitePort}']
        pkce_required: true
`
  await writeFile(file, text)
  return { file, tenant }
}
