import type { LightMyRequestResponse } from 'fastify'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { arrivedAt, newAddress, sessionCookie } from '../sign-in-platform.ts'
import { actionsOf, type Visitor, wordsOf } from '../visitor.ts'
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts'
import { signInAt } from './sign-in-at.ts'
import { callbackOf, createSocialPlatform, pathOf, type SocialPlatform } from './social-platform.ts'

/** A browser that has signed in at a provider, and is about to bring the answer. */
export interface Returning {
  visitor: Visitor
  flow: string
  back: URL
}

/** What the tests of a file share. Its members are there once the tests run. */
export interface TwoProviders {
  platform: SocialPlatform
  /** `staff` and `other` of the tenant's, each with its own client, whose accounts have the same names. */
  provider: OpenIdProvider
  other: OpenIdProvider
  /** `parameters` are those of authorize. */
  aboutToReturn(id?: 'staff' | 'other', parameters?: Record<string, string>): Promise<Returning>
  bring(visitor: Visitor, back: URL): Promise<LightMyRequestResponse>
  /** How many codes a provider was brought. */
  exchanges(of: OpenIdProvider): number
  /** The page says what went wrong, nobody is signed in, and the flow goes on, by another way or once more. */
  expectTold(
    returning: Pick<Returning, 'visitor' | 'flow'>,
    answer: LightMyRequestResponse,
    told: readonly [status: number, words: string],
  ): Promise<void>
}

/** What the page says of the provider Staff, by how it failed. */
export const told = {
  denied: [403, 'Staff did not sign you in.'],
  refused: [503, 'Staff cannot be used at the moment. Take another way.'],
  away: [503, 'Staff cannot be reached at the moment.'],
  faulty: [400, 'Staff gave an answer that we cannot trust.'],
} as const

/** The address with parameters set, or without those that are null. */
export function changed(back: URL, change: Record<string, string | null>): URL {
  const url = new URL(back)
  for (const [name, value] of Object.entries(change))
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  return url
}

/** A platform whose tenant has two providers, with an account that is called ann at both, for the tests of this file. */
export function useTwoProviders(): TwoProviders {
  const shared = {} as TwoProviders
  beforeAll(async () => {
    const accounts = { ann: { email: newAddress(), email_verified: true } }
    const provider = await startOpenIdProvider({ redirectUris: [callbackOf('staff')], accounts })
    const other = await startOpenIdProvider({
      redirectUris: [callbackOf('other')],
      accounts,
      // So that nothing but the id_token tells who it is.
      claimsIn: 'id_token',
    })
    const platform = await createSocialPlatform()
    const both = { staff: ['Staff', provider], other: ['Other', other] } as const
    for (const [id, [name, { issuer, clientSecret }]] of Object.entries(both)) {
      const client = { client_id: 'usher', client_secret: clientSecret }
      await platform.setProvider(id, { provider: 'oidc', name, issuer, ...client })
    }
    const behave = () => {
      provider.behave()
      other.behave()
    }
    const ann = { login: 'ann', action: 'login' }

    Object.assign(shared, {
      platform,
      provider,
      other,
      async aboutToReturn(id = 'staff', parameters = {}) {
        const visitor = platform.visit()
        const flow = await platform.begin(visitor, parameters)
        const back = await signInAt(await platform.press(visitor, flow, id), ann)
        return { visitor, flow, back }
      },
      bring: (visitor, back) => visitor.get(pathOf(back), { 'sec-fetch-site': 'cross-site' }),
      exchanges: of => of.requests.filter(one => one === 'POST /token').length,
      async expectTold({ visitor, flow }, answer, [status, words]) {
        expect([answer.statusCode, wordsOf(answer.body)]).toEqual([status, expect.stringContaining(words)])
        expect(visitor.cookies.has(sessionCookie)).toBe(false)
        expect(actionsOf(answer.body)).toEqual([flow, `${flow}/social`])
        behave()
        const address = await platform.press(visitor, flow, 'staff')
        expect(arrivedAt(await platform.comeBack(visitor, address, ann)).state).toBe('st&te=1')
      },
    } satisfies TwoProviders)
  })
  afterEach(() => {
    shared.provider.behave()
    shared.other.behave()
  })
  afterAll(async () => {
    await shared.platform?.close()
    await shared.provider?.close()
    await shared.other?.close()
  })
  return shared
}
