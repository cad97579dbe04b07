import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Ability } from './credential.ts'
import { type ApplyOptions, applyDeclaration } from './platform-file/apply-platform-file.ts'
import type { MadeKey } from './platform-file/changes.ts'
import { showPath } from './platform-file/problems.ts'
import type { PlatformFile } from './platform-file/schema.ts'
import { isPlatformEmpty } from './tenants.store.ts'

/** What the demo of a first start consists of, for people and for the demo's programs. */
export interface Demo {
  operator: string
  platformKey: string
  tenant: {
    slug: string
    name: string
    domain: string
    administrator: string
    consumerKey: string
    /** The partner application of the demo. */
    client: DemoClient
    /** The publisher's own site. */
    siteClient: DemoClient
  }
}

interface DemoClient {
  id: string
  secret: string
  redirectUri: string
}

const operator = 'operator@platform.localhost'
const administrator = 'admin@acme.example'
const siteOrigin = 'http://news.acme.localhost:4100'
/** Where the demo's partner application waits for members. */
const partner = { id: 'partner', redirectUri: 'http://127.0.0.1:4000/callback' }
/** Where it has members come back to whom it has signed out here too. */
const partnerSignedOutUri = 'http://127.0.0.1:4000/?signed-out'
/** The site asks silently: nobody is redirected to this address, which its codes are stamped with. */
const site = { id: 'news', redirectUri: 'http://127.0.0.1:4100/signed-in' }
const tenant = { slug: 'acme', name: 'Acme Daily', domain: 'members.acme.localhost' }

const consumerAbilities: Ability[] = ['events:read', 'events:delete', 'health:read']

const declaration: PlatformFile = {
  operators: [operator],
  platform_keys: [{ name: 'monitor', operator }],
  tenants: [
    {
      ...tenant,
      aliases: ['accounts.acme.localhost'],
      cookie_domain: 'acme.localhost',
      flags: ['UseQueueEvents'],
      staff: [{ email: administrator, role: 'administrator' }],
      keys: [{ name: 'consumer', user: administrator, abilities: consumerAbilities }],
      clients: [
        {
          client_id: partner.id,
          name: 'Saltern Pictures',
          redirect_uris: [partner.redirectUri],
          post_logout_redirect_uris: [partnerSignedOutUri],
          allowed_origins: [siteOrigin],
        },
        {
          client_id: site.id,
          name: tenant.name,
          redirect_uris: [site.redirectUri],
          allowed_origins: [siteOrigin],
        },
      ],
    },
  ],
}

function tokenOf(keys: readonly MadeKey[], name: string): string {
  const key = keys.find(made => made.name === name)
  if (!key) throw new Error(`The demo's key ${name} was not made.`)
  return key.token
}

/** Makes the demo tenant, its consumer's key and an operator's key in an empty database, in the same way as
 *  a platform file does, and keeps what a newcomer needs in `file`, for this user only. Undefined, and
 *  nothing is changed, when the platform has a tenant or staff. */
export async function createDemo(options: ApplyOptions & { file: string }): Promise<Demo | undefined> {
  let demo: Demo | undefined
  const refusal = (problems: readonly { path: readonly (string | number)[]; message: string }[]) =>
    new Error(`The demo cannot be made: ${problems.map(p => `${showPath(p.path)} ${p.message}`).join('; ')}`)
  await applyDeclaration(options, declaration, refusal, {
    before: isPlatformEmpty,
    // Before the commit: a demo that exists has its file.
    async after({ madeKeys, madeSecrets }) {
      const withSecret = (client: typeof partner): DemoClient => {
        const made = madeSecrets.find(({ clientId }) => clientId === client.id)
        if (!made) throw new Error(`The demo's client ${client.id} was not made.`)
        return { ...client, secret: made.secret }
      }
      demo = {
        operator,
        platformKey: tokenOf(madeKeys, 'monitor'),
        tenant: {
          ...tenant,
          administrator,
          consumerKey: tokenOf(madeKeys, 'consumer'),
          client: withSecret(partner),
          siteClient: withSecret(site),
        },
      }
      await mkdir(dirname(options.file), { recursive: true })
      const written = `${options.file}.new`
      await writeFile(written, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 })
      await rename(written, options.file)
    },
  })
  return demo
}

/** What an earlier first start kept in `file`; undefined when it made no demo. */
export async function findDemo(file: string): Promise<Demo | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Demo
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
