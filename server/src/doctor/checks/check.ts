import type { SilentSignInCheck, SilentSignInCode, SilentSignInWay } from '@usher/contract'
import type { OAuthClient } from '../../oauth/index.ts'
import type { Tenant } from '../../tenancy/index.ts'
import type { AskedHost, SiteAddress } from '../addresses.ts'

/** All that the checks look at. */
export interface Examined {
  tenant: Tenant
  /** Where the tenant answers. */
  tenantOrigin: string
  /** Hosts that redirect to the tenant's domain. */
  aliases: readonly string[]
  clientId: string
  /** The client of that id; undefined where the tenant has none. */
  client: OAuthClient | undefined
  /** All of the tenant's clients. */
  clients: readonly OAuthClient[]
  site: SiteAddress
  /** Where the site asks, if that was told. */
  host: AskedHost | undefined
}

/** What is wrong, and what to change. */
export interface Finding {
  code: SilentSignInCode
  /** Whether it does not work because of this. */
  severity: 'blocks' | 'warns'
  /** Which way of silent sign-in it stands in. */
  affects: readonly SilentSignInWay[]
  /** One or two sentences, with the values that are meant. */
  problem: string
  change: string
}

export interface Check {
  name: SilentSignInCheck
  /** What was found; undefined where there is nothing to look at. `good` is told when nothing was. */
  examine(examined: Examined): { good: string; findings: Finding[] } | undefined
}

export const bothWays: readonly SilentSignInWay[] = ['probe', 'prompt_none']
export const probeAlone: readonly SilentSignInWay[] = ['probe']

/** Whether the site is the tenant's own domain, which needs no probe. */
export const isOwnDomain = ({ site, tenantOrigin }: Examined): boolean => site.origin === tenantOrigin
