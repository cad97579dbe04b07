import { afterAll, beforeAll, expect } from 'vitest'
import { authorizeRoutes } from '../oauth/authorize.routes.ts'
import { openOAuth } from '../oauth/open-oauth.ts'
import { openTenancy, type Tenancy } from '../tenancy/index.ts'
import { buildEdgeApp, type EdgeAnswer, type EdgeApp } from './edge.ts'
import { callback, createOAuthPlatform, hostOf, type OAuthPlatform } from './oauth-platform.ts'
import { platformHost } from './whole-platform.ts'

/** A request that the authorize endpoint takes. */
export const goodRequest = {
  client_id: 'partner',
  redirect_uri: callback,
  response_type: 'code',
  state: 's t&a=te',
}
/** Parameters beside or in place of those; an undefined one is left out. */
export type Sent = Record<string, string | undefined>

/** Headers that every answer of the endpoint has. */
export const guards = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
}

/** Where an answer sends the browser, and the parameters that are added on the way. */
export function locationOf(answer: EdgeAnswer): { to: string; parameters: Record<string, string> } {
  const location = String(answer.headers.location)
  const { origin, pathname, searchParams } = new URL(location)
  expect([answer.statusCode, answer.body]).toEqual([302, ''])
  return { to: origin + pathname, parameters: Object.fromEntries(searchParams) }
}

/** The authorize endpoint of the platform of `createOAuthPlatform`, with pages that say what they were asked for. */
export function useTestAuthorize() {
  let platform: OAuthPlatform
  let tenancy: Tenancy
  let edge: EdgeApp
  beforeAll(async () => {
    platform = await createOAuthPlatform()
    const { db, url } = platform.database
    tenancy = openTenancy({ databaseUrl: url, directUrl: url, platformHost })
    const publicUrl = new URL(`http://${platformHost}`)
    const oauth = openOAuth({ db, members: platform.members, publicUrl })
    tenancy.onChange(oauth.invalidateClients)
    const pages = {
      begin: async (_browser: object, request: object) => ({
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8', 'set-cookie': ['flow=1', 'other=2'] },
        body: JSON.stringify(request),
      }),
      showError: (_browser: object, detail: string) => ({
        status: 400,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: detail,
      }),
      showUnavailable: () => ({ status: 503, headers: {}, body: 'away' }),
    }
    edge = await buildEdgeApp(tenancy, publicUrl.href, async app => {
      await app.register(authorizeRoutes({ ...oauth.parts, pages }))
    })
  })
  afterAll(async () => {
    await edge.app.close()
    await tenancy.close()
    await platform.close()
  })

  function ask(
    sent: Sent | string,
    headers: Record<string, string> = {},
    host = hostOf(),
  ): Promise<EdgeAnswer> {
    const given = typeof sent === 'string' ? [] : Object.entries({ ...goodRequest, ...sent })
    const query =
      typeof sent === 'string'
        ? sent
        : new URLSearchParams(given.filter((one): one is [string, string] => one[1] !== undefined)).toString()
    return edge.send(host, `/oauth/authorize?${query}`, { headers })
  }

  return {
    ask,
    /** There once the tests run, as is the edge. */
    get platform() {
      return platform
    },
    get edge() {
      return edge
    },
  }
}
