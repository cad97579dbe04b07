import { readAskedHost, readSite } from '../doctor/addresses.ts'
import type { Examined } from '../doctor/checks/check.ts'
import { type ClientSettings, defaultClientSettings, type OAuthClient } from '../oauth/client.ts'
import { type Tenant, tenantOrigin } from '../tenancy/index.ts'
import { defaultEventSettings, defaultSignInSettings } from '../tenancy/tenant.ts'

/** What differs from a set-up in which silent sign-in works. */
export interface Setting {
  tenant?: Partial<Tenant>
  clientId?: string
  clients?: Record<string, Partial<ClientSettings>>
  site?: string
  host?: string
  /** The platform's address. */
  publicUrl?: string
}

const madeAt = new Date('2026-05-01T12:00:00Z')

const clientOf = ([clientId, settings]: [string, Partial<ClientSettings>]): OAuthClient => ({
  ...defaultClientSettings,
  clientId,
  name: clientId,
  redirectUris: ['https://app.partner.example/callback'],
  secretHash: Buffer.alloc(32),
  createdAt: madeAt,
  updatedAt: madeAt,
  secretChangedAt: madeAt,
  ...settings,
})

/** What the doctor looks at: acme's partner on https://news.acme.example, where all is well, but for what is told. */
export function examinedFor(setting: Setting = {}): Examined {
  const { site: written = 'https://news.acme.example', publicUrl = 'https://platform.example' } = setting
  const site = readSite(written)
  const host = setting.host === undefined ? undefined : readAskedHost(setting.host)
  if (!site || (setting.host !== undefined && !host)) throw new Error('Neither site nor host may be wrong.')
  const tenant: Tenant = {
    id: '0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6a',
    slug: 'acme',
    name: 'Acme Daily',
    domain: 'members.acme.example',
    createdAt: madeAt,
    suspended: false,
    cookieDomain: 'acme.example',
    signIn: defaultSignInSettings,
    branding: { color: null, logoUrl: null, languages: [] },
    events: defaultEventSettings,
    ...setting.tenant,
  }
  const clients = Object.entries(
    setting.clients ?? { partner: { allowedOrigins: ['https://news.acme.example'] } },
  ).map(clientOf)
  const { clientId = 'partner' } = setting
  return {
    tenant,
    tenantOrigin: tenantOrigin(new URL(publicUrl), tenant.domain),
    aliases: ['accounts.acme.example', 'acme.platform.example'],
    clientId,
    client: clients.find(client => client.clientId === clientId),
    clients,
    site,
    host,
  }
}
