import type { LightMyRequestResponse } from 'fastify'
import { hostOf } from '../oauth-platform.ts'
import { createSignInPlatform, type SignInPlatform } from '../sign-in-platform.ts'
import { type Visitor, wordsOf } from '../visitor.ts'
import { tokens, type WholePlatformOptions } from '../whole-platform.ts'
import { signInAt } from './sign-in-at.ts'

export interface SocialPlatform extends SignInPlatform {
  /** Adds a provider, or changes it where it is there, through the administration API. */
  setProvider(id: string, attributes: Record<string, unknown>, slug?: 'acme' | 'globe'): Promise<void>
  /** Presses a provider's button in a flow, and answers where the browser is sent. */
  press(visitor: Visitor, flow: string, provider: string): Promise<string>
  /** Signs in at the provider that a browser was sent to, and comes back. */
  comeBack(visitor: Visitor, address: string, form: Record<string, string>): Promise<LightMyRequestResponse>
  /** The whole way from authorize to the answer of the callback. */
  signInBy(visitor: Visitor, provider: string, login: string): Promise<LightMyRequestResponse>
  /** Linked accounts by member's address, as `provider label`. */
  identities(): Promise<Record<string, string[]>>
}

/** Where providers of a tenant send browsers back to. */
export const callbackOf = (provider: string, slug: 'acme' | 'globe' = 'acme'): string =>
  `http://${hostOf(slug)}/sign-in/social/${provider}/callback`

const resource = 'application/vnd.api+json'

/** The path and query of an address, as the app is asked for it. */
export const pathOf = (address: URL): string => address.pathname + address.search

/** The whole platform with mail, to which providers can be added. */
export async function createSocialPlatform(
  env: Record<string, string> = {},
  options: WholePlatformOptions = {},
): Promise<SocialPlatform> {
  const platform = await createSignInPlatform(env, options)
  const send = (method: 'POST' | 'PATCH', slug: 'acme' | 'globe', url: string, data: object) =>
    platform.request(hostOf(slug), {
      method,
      url: `/api/v1/social-providers${url}`,
      key: tokens[slug],
      headers: { 'content-type': resource },
      payload: JSON.stringify({ data: { type: 'social-providers', ...data } }),
    })

  const press: SocialPlatform['press'] = async (visitor, flow, provider) => {
    const answer = await visitor.post(`${flow}/social`, { provider })
    if (answer.statusCode !== 303)
      throw new Error(`Not sent on: ${answer.statusCode} ${wordsOf(answer.body)}`)
    return String(answer.headers.location)
  }
  const comeBack: SocialPlatform['comeBack'] = async (visitor, address, form) =>
    visitor.get(pathOf(await signInAt(address, form)), { 'sec-fetch-site': 'cross-site' })

  return {
    ...platform,
    press,
    comeBack,
    async setProvider(id, attributes, slug = 'acme') {
      let answer = await send('PATCH', slug, `/${id}`, { attributes })
      if (answer.statusCode === 404) answer = await send('POST', slug, '', { id, attributes })
      if (answer.statusCode >= 300) throw new Error(`Not saved: ${answer.statusCode} ${answer.body}`)
    },
    async signInBy(visitor, provider, login) {
      const flow = await platform.begin(visitor)
      return comeBack(visitor, await press(visitor, flow, provider), { login, action: 'login' })
    },
    async identities() {
      const { rows } = await platform.database.pool.query<{ email: string; account: string }>(
        `select m.email, i.provider_id || ' ' || i.label as account from member_identities i
         join members m on m.tenant_id = i.tenant_id and m.id = i.member_id order by i.id`,
      )
      const found: Record<string, string[]> = {}
      for (const { email, account } of rows) found[email] = [...(found[email] ?? []), account]
      return found
    },
  }
}
