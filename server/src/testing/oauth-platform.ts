import { hash, randomBytes } from 'node:crypto'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { openSecrets } from '../foundation/secrets/index.ts'
import { type Members, openMembers } from '../members/index.ts'
import type { CodeOrigin } from '../oauth/authorization-code.ts'
import { codeStorer } from '../oauth/authorization-codes.store.ts'
import { defaultClientSettings } from '../oauth/client.ts'
import { hashSecret } from '../oauth/client-secret.ts'
import { insertClient } from '../oauth/clients.store.ts'
import { codeIssuer } from '../oauth/issue-code.ts'
import { findTenantBySlug, type Tenant } from '../tenancy/index.ts'
import {
  createWholePlatform,
  platformHost,
  type WholePlatform,
  type WholePlatformOptions,
} from './whole-platform.ts'

export const secretOf = (clientId: string, slug = 'acme') =>
  `secret-of-${clientId}-at-${slug}-of-32-characters`
export const callback = 'https://app.partner.example/callback'
export const otherCallback = 'https://app.partner.example/other?a=1'

/** Clients by tenant. Both tenants have one that is called partner. */
const clients = {
  acme: {
    partner: { redirectUris: [callback, otherCallback], allowedOrigins: ['https://news.acme.example'] },
    strict: {
      redirectUris: ['https://strict.example/callback'],
      allowedOrigins: ['https://news.acme.example'],
      pkceRequired: true,
    },
    neighbour: {
      redirectUris: ['https://neighbour.example/callback', callback],
      allowedOrigins: ['https://shop.acme.example'],
    },
    off: {
      redirectUris: ['https://off.example/callback'],
      allowedOrigins: ['https://news.acme.example'],
      enabled: false,
    },
    closed: { redirectUris: ['https://closed.example/callback'] },
  },
  globe: {
    partner: {
      redirectUris: ['https://app.globe.example/callback', callback],
      allowedOrigins: ['https://news.globe.example'],
    },
    'only-globe': { redirectUris: ['https://only.globe.example/callback'] },
  },
} as const
type Slug = keyof typeof clients

/** A verifier and its challenge (RFC 7636). */
export function makeVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}

export interface SignedIn {
  memberId: string
  sessionId: string
  /** The device token. */
  token: string
  cookie: string
}

export interface IssueOptions {
  slug?: Slug
  clientId?: string
  redirectUri?: string
  codeChallenge?: string
  origin?: CodeOrigin
  scope?: string | null
  nonce?: string
  /** How long ago it was issued. */
  agedS?: number
  member?: SignedIn
}

export interface OAuthPlatform extends WholePlatform {
  tenants: Record<Slug, Tenant>
  members: Members
  /** Signs a member in on a browser. */
  signIn(slug?: Slug, email?: string): Promise<SignedIn>
  /** Issues a code to acme's partner, or as told. */
  issue(options?: IssueOptions): Promise<string>
  /** Whether acme's partner is told that a token is good. */
  isActive(token: string): Promise<boolean>
  /** Sends a form to a host. */
  post(
    path: string,
    form: Record<string, string> | string,
    options?: PostOptions,
  ): Promise<LightMyRequestResponse>
  /** Exchanges a code for acme's partner, with other parameters where told; an undefined one is left out. */
  exchange(
    code: string,
    other?: Record<string, string | undefined>,
    options?: PostOptions,
  ): Promise<LightMyRequestResponse>
}

interface PostOptions {
  host?: string
  headers?: InjectOptions['headers']
}

/** The body of a refusal that says what to do. */
export const oauthRefusal = (error: string) => ({ error, error_description: expect.stringMatching(/\.$/) })

export const hostOf = (slug: Slug = 'acme') => `members.${slug}.example`
export const issuerOf = (slug: Slug = 'acme') => `http://${hostOf(slug)}`

/** The whole platform with clients, and with members that can be signed in without a page. */
export async function createOAuthPlatform(
  env: Record<string, string> = {},
  options: WholePlatformOptions = {},
): Promise<OAuthPlatform> {
  const secretKey = Buffer.alloc(32, 7)
  const platform = await createWholePlatform(
    { USHER_SECRET_KEY: secretKey.toString('base64'), ...env },
    options,
  )
  const { db, url } = platform.database
  await db
    .withTables<{ tenants: { slug: string; cookie_domain: string | null } }>()
    .updateTable('tenants')
    .set({ cookie_domain: 'acme.example' })
    .where('slug', '=', 'acme')
    .execute()
  const find = async (slug: Slug): Promise<Tenant> => {
    const tenant = await findTenantBySlug(db, slug)
    if (!tenant) throw new Error(`There is no tenant ${slug}.`)
    return tenant
  }
  const tenants = { acme: await find('acme'), globe: await find('globe') }
  const publicUrl = new URL(env.USHER_PUBLIC_URL ?? `http://${platformHost}`)
  for (const slug of ['acme', 'globe'] as const)
    for (const [clientId, settings] of Object.entries(clients[slug]))
      await insertClient(db, tenants[slug].id, {
        ...defaultClientSettings,
        name: `${clientId} of ${slug}`,
        ...settings,
        clientId,
        secretHash: hashSecret(secretOf(clientId, slug)),
        createdAt: new Date(),
      })
  // As another process has it.
  const members = openMembers({
    db,
    databaseUrl: url,
    directUrl: url,
    secrets: openSecrets([secretKey]),
    publicUrl,
    cookieName: '_SERVICET',
    isClientEnabled: async () => true,
  })
  const issueCode = codeIssuer(publicUrl, codeStorer(db))

  const signIn: OAuthPlatform['signIn'] = async (slug = 'acme', email = `member@${slug}.example`) => {
    const tenant = tenants[slug]
    const now = new Date()
    const member = await members.findOrCreateMember(db, tenant, email, now)
    if (!member) throw new Error('Sign-up is closed.')
    const { sessionId, token } = await members.startDeviceSession(db, {
      tenant,
      memberId: member.id,
      userAgent: 'Firefox',
      address: '203.0.113.7',
      now,
    })
    return { memberId: member.id, sessionId, token, cookie: `_SERVICET=${token}` }
  }

  const post: OAuthPlatform['post'] = (path, form, { host = hostOf(), headers = {} } = {}) =>
    platform.request(host, {
      method: 'POST',
      url: path,
      payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  return {
    ...platform,
    tenants,
    members,
    signIn,
    post,
    async isActive(token) {
      const credentials = { client_id: 'partner', client_secret: secretOf('partner') }
      return (await post('/oauth/introspect', { token, ...credentials })).json().active
    },
    async issue({ slug = 'acme', clientId = 'partner', origin = 'interactive', agedS = 0, ...bound } = {}) {
      const { memberId, sessionId } = bound.member ?? (await signIn(slug))
      const address = await issueCode(db, {
        tenant: tenants[slug],
        clientId,
        redirectUri: bound.redirectUri ?? callback,
        state: null,
        codeChallenge: bound.codeChallenge ?? null,
        scope: bound.scope ?? null,
        nonce: bound.nonce ?? null,
        memberHint: null,
        memberId,
        sessionId,
        origin,
        now: new Date(Date.now() - agedS * 1_000),
      })
      if (address === undefined) throw new Error('The client did not get a code.')
      return new URL(address).searchParams.get('code') ?? ''
    },
    exchange(code, other = {}, postOptions = {}) {
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        client_id: 'partner',
        client_secret: secretOf('partner'),
        ...other,
      }
      const sent = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return post('/oauth/token', Object.fromEntries(sent), postOptions)
    },
    async close() {
      await members.close()
      await platform.close()
    },
  }
}
