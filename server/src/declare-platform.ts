import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Database } from './foundation/database/index.ts'
import type { Secrets } from './foundation/secrets/index.ts'
import {
  type Applied,
  applyPlatformFile,
  createDemo,
  type Demo,
  findDemo,
  tenantOrigin,
} from './tenancy/index.ts'
import { tenantHooks } from './tenant-hooks.ts'

/** Brings the platform to what the configuration declares at start: the file of USHER_APPLY, or in
 *  development, where there is none, the demo in an empty database. Answers the lines to print. Throws a
 *  StartError when the file is refused. */
export async function declarePlatform(config: Config, db: Database, secrets: Secrets): Promise<string[]> {
  const options = {
    db,
    hooks: tenantHooks({
      secrets: () => secrets,
      publicUrl: config.publicUrl,
      allowLocal: !config.isProduction,
    }),
    platformHost: config.publicUrl.hostname,
    actor: { kind: 'system', name: 'start' },
    now: new Date(),
  } as const
  if (config.apply !== undefined) {
    return describeApplied(await applyPlatformFile({ ...options, file: config.apply, env: process.env }))
  }
  if (config.isProduction) return []
  const file = join(config.dataDir, 'demo.json')
  const made = await createDemo({ ...options, file })
  if (made) return ['', ...describeAddresses(made, config), ...describeKeys(made, config), '']
  const kept = await findDemo(file)
  return kept ? ['', ...describeAddresses(kept, config), `  Its keys       in ${file}`, ''] : []
}

function describeApplied({ changes, notices, madeKeys, madeSecrets }: Applied): string[] {
  const keys = madeKeys.map(
    ({ name, tenant, token }) =>
      `key ${name} of ${tenant ? `tenant ${tenant}` : 'the platform'}, shown only now: ${token}`,
  )
  const secrets = madeSecrets.map(
    ({ clientId, tenant, secret }) =>
      `secret of client ${clientId} of tenant ${tenant}, shown only now: ${secret}`,
  )
  return [...changes, ...notices, ...keys, ...secrets]
}

function describeAddresses({ tenant }: Demo, { publicUrl, smtpUrl }: Config): string[] {
  const origin = tenantOrigin(publicUrl, tenant.domain)
  return [
    `  Demo tenant    ${tenant.name}, ${origin}`,
    `  Its script     <script async src="${origin}/sdk.js"></script>`,
    `  Sign in        ${origin}/account, the page of a member's account`,
    ...(smtpUrl === undefined ? [`  Its mail       ${publicUrl.origin}/dev/mailbox`] : []),
    `  Reference      ${publicUrl.origin}/docs`,
  ]
}

function describeKeys({ tenant, platformKey }: Demo, { publicUrl }: Config): string[] {
  return [
    `  Consumer key   ${tenant.consumerKey}`,
    `  Platform key   ${platformKey}`,
    `  Client         ${tenant.client.id}, secret ${tenant.client.secret}`,
    '',
    '  Read the queue:',
    `  curl -H "Authorization: Bearer ${tenant.consumerKey}" ${publicUrl.origin}/api/platform/events`,
  ]
}
