import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { ApiError, forbidden, isUnavailable, notFound, unauthorized } from '../foundation/http/index.ts'
import type { Ability, Credential } from './credential.ts'
import type { KnownKey } from './keys.store.ts'
import type { Sites } from './resolve-site.ts'
import { suspendedPage } from './suspended-page.ts'
import type { Site, Tenant } from './tenant.ts'
import { tenantOrigin } from './tenant-origin.ts'
import type { Keys } from './verify-key.ts'

/** Where a route exists: on the platform host; on a tenant's canonical domain; on both, for the API that a
 *  key opens; on any host at all. */
export type RouteSite = 'platform' | 'tenant' | 'api' | 'any'

/** What the edge found out about a request. */
const known = Symbol('known')

interface Known {
  site: Site
  tenant?: Tenant
  credential?: Credential
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that says nothing exists on the platform host only. */
    site?: RouteSite
    /** A tenant's route that people look at: a refusal is a page. */
    page?: boolean
    /** What the caller's key must be able to do. Every route of site `api` has one. */
    ability?: Ability
    /** Only a platform key of a super admin opens the route. */
    operator?: boolean
    /** The key's user must be an administrator of the tenant, or a super admin: to view it is not enough. */
    administrator?: boolean
    /** The route reports on the database, so it is reached also while keys cannot be checked. */
    health?: boolean
  }
  interface FastifyRequest {
    /** What the request's host names. */
    site: Site
    /** The tenant of the request, on routes of site `tenant` and `api`. Reading it elsewhere throws. */
    tenant: Tenant
    /** Whether the edge found the tenant: not when it could not ask who the host is. For error handlers. */
    hasTenant: boolean
    /** The verified key, on routes with `ability` or `operator`. Reading it elsewhere throws. */
    credential: Credential
    /** On a health route: the database is away and nobody knows whether the key is valid. Then there is
     *  neither a tenant nor a credential. */
    credentialUnchecked: boolean
    [known]: Known | null
  }
}

export interface EdgeOptions {
  sites: Sites
  keys: Keys
  /** The platform's address. */
  publicUrl: URL
}

const NO_TENANT = 'No tenant answers at this host.'
const SUSPENDED = 'This tenant is suspended. Ask the operator of the platform.'

function requireAbility(credential: Credential, ability: Ability | undefined): void {
  if (ability !== undefined && !credential.abilities.has(ability))
    throw forbidden(`This API key lacks the ability ${ability}.`)
}

/** Tells a mistake in a route's configuration when the route is made, not when it is first abused. */
function checkConfig(route: RouteOptions): void {
  const { site = 'platform', ability, operator, administrator, health, page } = route.config ?? {}
  const fault =
    (site === 'api' && !ability && 'needs an ability') ||
    (site !== 'api' && ability && !operator && 'has an ability that nothing checks') ||
    (operator && site !== 'platform' && 'is for operators, so its site is platform') ||
    (administrator && site !== 'api' && 'is for administrators of a tenant, so its site is api') ||
    (page && site !== 'tenant' && 'is a page, so its site is tenant') ||
    (health && !ability && !operator && 'is a health route without a key') ||
    (/\/landlord(\/|$)/.test(route.url) && !operator && 'is of the landlord, so it needs operator: true')
  if (fault) throw new Error(`The route ${route.url} ${fault}.`)
}

/** Puts what the edge finds out on the request; a route that reads what its site does not have is wrong. */
function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest(known, null)
  app.decorateRequest('credentialUnchecked', false)
  app.decorateRequest('hasTenant', {
    getter(this: FastifyRequest): boolean {
      return this[known]?.tenant !== undefined
    },
  })
  for (const name of ['site', 'tenant', 'credential'] as const)
    app.decorateRequest(name, {
      getter(this: FastifyRequest): never {
        const value = this[known]?.[name]
        if (value === undefined) throw new Error(`This route has no request.${name}.`)
        return value as never
      },
    })
}

/** The edge: decides on every request, once, what its host names and whether its key opens the route,
 *  by the route's `config` (decisions, "Addresses" and "Answers"). Call it before routes are added. */
export function addEdge(app: FastifyInstance, { sites, keys, publicUrl }: EdgeOptions): void {
  decorateRequests(app)

  /** False when the request was answered here. */
  function enterTenant(request: FastifyRequest, reply: FastifyReply, site: Site): boolean {
    if (site.kind === 'unknown') throw notFound(NO_TENANT)
    if (site.kind === 'platform') throw notFound("This address is served at a tenant's domain only.")
    const { tenant } = site
    if (tenant.suspended) {
      if (!request.routeOptions.config.page) throw forbidden(SUSPENDED)
      reply.code(403).type('text/html; charset=utf-8').header('cache-control', 'no-store')
      reply.send(suspendedPage(tenant.name))
      return false
    }
    if (!site.canonical) {
      const origin = tenantOrigin(publicUrl, tenant.domain)
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new ApiError(421, `This host is an alias. Send the request to ${origin}.`)
      reply.redirect(origin + request.raw.url, 302)
      return false
    }
    request[known] = { site, tenant }
    return true
  }

  /** The key of the request; undefined when a health route is to answer without knowing it. */
  async function keyOf(request: FastifyRequest): Promise<KnownKey | undefined> {
    const { authorization } = request.headers
    if (!request.routeOptions.config.health) return keys.verify(authorization)
    const key = await keys.verifyForHealth(authorization)
    if (key === undefined) request.credentialUnchecked = true
    return key
  }

  async function enterPlatform(request: FastifyRequest): Promise<void> {
    if (!sites.isPlatform(request.headers.host)) throw notFound()
    const site: Site = { kind: 'platform' }
    request[known] = { site }
    const { operator, ability } = request.routeOptions.config
    if (!operator) return
    const key = await keyOf(request)
    if (key === undefined) return
    if (key.credential.kind !== 'platform')
      throw unauthorized('Organization keys do not open platform routes. Send a platform key.')
    requireAbility(key.credential, ability)
    request[known] = { site, credential: key.credential }
  }

  /** The tenant that a request is for: the one that its host names, else the key's own. The key's user must
   *  be able to view it (interface 5). */
  async function tenantOf(site: Site, key: KnownKey): Promise<Tenant> {
    const { credential, tenantSlug, isOperator, staffOf } = key
    if (credential.kind === 'platform') {
      if (site.kind === 'tenant') return site.tenant
      throw new ApiError(422, "A platform key names no tenant. Send the request to the tenant's domain.")
    }
    const named = site.kind === 'tenant' ? site : await sites.resolveSlug(tenantSlug ?? '')
    if (named.kind !== 'tenant') throw forbidden('The tenant of this API key is gone.')
    if (isOperator || staffOf.has(named.tenant.id)) return named.tenant
    throw forbidden(
      named.tenant.id === credential.tenantId
        ? "This API key's user does not belong to the tenant's staff."
        : "This API key is of another tenant, and its user does not belong to this tenant's staff.",
    )
  }

  async function enterApi(request: FastifyRequest): Promise<void> {
    const { ability, administrator, health } = request.routeOptions.config
    let site: Site
    try {
      site = await sites.resolve(request.headers.host)
    } catch (error) {
      if (!health || !isUnavailable(error)) throw error
      // Still 401 without a key or with one that cannot be right.
      await keys.verifyForHealth(request.headers.authorization)
      request.credentialUnchecked = true
      return
    }
    if (site.kind === 'unknown') throw notFound(NO_TENANT)
    if (site.kind === 'tenant' && site.tenant.suspended) throw forbidden(SUSPENDED)
    request[known] = { site }
    const key = await keyOf(request)
    if (key === undefined) return
    const tenant = await tenantOf(site, key)
    if (tenant.suspended) throw forbidden(SUSPENDED)
    requireAbility(key.credential, ability)
    if (administrator && !key.isOperator && !key.administratorOf.has(tenant.id))
      throw forbidden("This API key's user is no administrator of the tenant, and only those may change it.")
    request[known] = { site, tenant, credential: key.credential }
  }

  type Done = (error?: Error) => void

  /** With a callback, so that a known host, which is nearly every request, waits for nothing. */
  function onTenantRequest(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    const enter = (site: Site): void => {
      let entered = false
      try {
        entered = enterTenant(request, reply, site)
      } catch (error) {
        done(error as Error)
      }
      if (entered) done()
    }
    const site = sites.resolve(request.headers.host)
    if (site instanceof Promise) site.then(enter, done)
    else enter(site)
  }

  app.addHook('onRoute', route => {
    checkConfig(route)
    const site = route.config?.site ?? 'platform'
    if (site === 'any') return
    const enter = { platform: enterPlatform, api: enterApi, tenant: onTenantRequest }[site]
    route.onRequest = [enter, ...[route.onRequest ?? []].flat()]
  })
}
