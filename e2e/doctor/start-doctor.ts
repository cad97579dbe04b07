import { acme } from '../apply-tenants.ts'
import { type Letter, waitForLetter } from '../partner/read-mailbox.ts'
import { startDeclaredPlatform } from '../start-declared-platform.ts'
import { findPort, startProgram } from '../start-program.ts'
import { type Sites, startSites } from './start-sites.ts'

export interface Diagnosis {
  exitCode: number
  works: boolean
  codes: string[]
  /** The address of the live check. */
  liveCheck: string
}

export type Slug = 'acme' | 'blank' | 'narrow'

export interface DoctorSurroundings {
  sites: Sites
  tenantOrigin(slug: Slug): string
  letterTo(email: string): Promise<Letter>
  /** What `usher doctor silent` says, as a process of its own beside the running platform. */
  diagnose(slug: string, client: string, site: string): Promise<Diagnosis>
  close(): Promise<void>
}

/** The platform as `npm start` starts it, with an embedded database and tenants whose silent sign-in works, or does not,
 *  each in its own way; and sites beside it. */
export async function startDoctor(): Promise<DoctorSurroundings> {
  await using started = new AsyncDisposableStack()
  const port = await findPort()
  const tenantOrigin = (slug: string) => `http://members.${slug}.localhost:${port}`
  const sites = await startSites(host => tenantOrigin(/blank|narrow/.exec(host)?.[0] ?? 'acme'))
  started.defer(sites.close)
  const news = sites.originOf('news.acme.localhost')
  const client = (clientId: string, origins: string[], enabled = true) => ({
    client_id: clientId,
    name: clientId,
    redirect_uris: ['http://127.0.0.1:4000/callback'],
    allowed_origins: origins,
    enabled,
  })
  const otherTenant = (slug: string) => ({
    slug,
    name: 'Other',
    domain: `members.${slug}.localhost`,
    clients: [client('partner', [sites.originOf(`news.${slug}.localhost`)])],
  })
  const platform = await startDeclaredPlatform(port, [
    {
      ...acme,
      cookie_domain: 'acme.localhost',
      branding: { color: '#8b1e3f' },
      clients: [
        client('partner', [news, sites.originOf('news.globe.localhost')]),
        client('unlisted', ['http://news.acme.localhost:1']),
        client('off', [news], false),
      ],
    },
    { ...otherTenant('blank'), cookie_domain: '' },
    { ...otherTenant('narrow'), cookie_domain: 'members.narrow.localhost' },
  ])
  started.defer(platform.close)
  const rest = started.move()
  const env = { USHER_PORT: `${port}`, USHER_DATA_DIR: platform.dataDir }

  return {
    sites,
    tenantOrigin,
    letterTo: email => waitForLetter(port, email),
    async diagnose(slug, client, site) {
      const asked = ['--tenant', slug, '--client', client, '--site', site]
      const doctor = startProgram('server/src/cli.ts', env, {
        args: ['doctor', 'silent', ...asked, '--json'],
      })
      const exitCode = Number(await doctor.finish())
      const { attributes, links } = JSON.parse(doctor.lines.join('\n')).data
      const codes = attributes.findings.map(({ code }: { code: string }) => code)
      return { exitCode, works: attributes.works, codes, liveCheck: links.live_check }
    },
    close: () => rest.disposeAsync(),
  }
}
