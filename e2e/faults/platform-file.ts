import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A tenant under load. */
export interface FaultTenant {
  slug: string
  domain: string
  /** Of a key that reads, removes and asks after health. */
  token: string
}

export const acme: FaultTenant = {
  slug: 'acme',
  domain: 'members.acme.localhost',
  token: 'fault-consumer-key-of-acme-of-32-characters',
}
export const globe: FaultTenant = {
  slug: 'globe',
  domain: 'members.globe.localhost',
  token: 'fault-consumer-key-of-globe-of-32-characters',
}

const declare = ({ slug, domain, token }: FaultTenant): string => `
  - slug: ${slug}
    name: ${slug}
    domain: ${domain}
    flags: [UseQueueEvents]
    events: { retention_days: 2, queue_retention_days: 1 }
    staff: [{ email: admin@${slug}.example, role: administrator }]
    keys: [{ name: consumer, user: admin@${slug}.example, token: "${token}" }]`

/** Writes a platform file with both tenants, their flags on. Gives its path. */
export async function writePlatformFile(folder: string): Promise<string> {
  const file = join(folder, 'platform.yaml')
  await writeFile(file, `tenants:${declare(acme)}${declare(globe)}\n`)
  return file
}
