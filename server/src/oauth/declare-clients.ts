import type { DatabaseTransaction } from '../foundation/database/index.ts'
import type { AppliedClients, Change, ClientDeclaration, Problem } from '../tenancy/index.ts'
import { type ClientSettings, defaultClientSettings, type OAuthClient } from './client.ts'
import { changedSettings, writeSettings } from './client-audit.ts'
import { clientProblems } from './client-rules.ts'
import { hashSecret, makeSecret } from './client-secret.ts'
import { insertClient, listClients, updateClient, updateSecret } from './clients.store.ts'

/** What is wrong with declared clients; paths begin at their list. */
function problemsOf(declared: readonly ClientDeclaration[]): Problem[] {
  return declared.flatMap((client, at) => {
    const written = {
      ...client,
      allowed_origins: client.allowed_origins ?? [],
      post_logout_redirect_uris: client.post_logout_redirect_uris ?? [],
      backchannel_logout_uri: client.backchannel_logout_uri || null,
    }
    const found = [...clientProblems(written)].map(
      ({ field, index, message }): Problem => ({
        path: index === undefined ? [at, field] : [at, field, index],
        message,
      }),
    )
    const isFirst = declared.findIndex(other => other.client_id === client.client_id) === at
    return isFirst ? found : [...found, { path: [at, 'client_id'], message: 'is named twice' }]
  })
}

/** The settings that a client is to have: what the file does not name stays, or is the default. */
const settingsOf = (declared: ClientDeclaration, current: ClientSettings | undefined): ClientSettings => ({
  name: declared.name,
  redirectUris: declared.redirect_uris,
  allowedOrigins: declared.allowed_origins ?? current?.allowedOrigins ?? defaultClientSettings.allowedOrigins,
  postLogoutRedirectUris:
    declared.post_logout_redirect_uris ??
    current?.postLogoutRedirectUris ??
    defaultClientSettings.postLogoutRedirectUris,
  backchannelLogoutUri:
    (declared.backchannel_logout_uri ?? current?.backchannelLogoutUri) ||
    defaultClientSettings.backchannelLogoutUri,
  pkceRequired: declared.pkce_required ?? current?.pkceRequired ?? defaultClientSettings.pkceRequired,
  enabled: declared.enabled ?? current?.enabled ?? defaultClientSettings.enabled,
})

async function changeDeclared(
  trx: DatabaseTransaction,
  tenantId: string,
  current: OAuthClient,
  declared: ClientDeclaration,
  now: Date,
): Promise<Change[]> {
  const { clientId } = current
  const changes: Change[] = []
  const settings = settingsOf(declared, current)
  const details = changedSettings(current, settings)
  if (Object.keys(details).length > 0) {
    await updateClient(trx, tenantId, clientId, settings, now)
    changes.push({ action: 'client.changed', target: clientId, details, text: `client ${clientId} changed` })
  }
  const secretHash = declared.client_secret === undefined ? undefined : hashSecret(declared.client_secret)
  if (secretHash && !secretHash.equals(current.secretHash)) {
    await updateSecret(trx, tenantId, clientId, secretHash, now)
    changes.push({
      action: 'client.secret_regenerated',
      target: clientId,
      text: `client ${clientId} has another secret`,
    })
  }
  return changes
}

/** What the platform file's `clients` bring about (decisions, "First start, and configuration"). */
export const clientHooks = {
  /** Registers and changes clients as declared, in the transaction of the file. Another secret is a regeneration. */
  async applyClients(
    trx: DatabaseTransaction,
    tenantId: string,
    declared: readonly ClientDeclaration[],
    now: Date,
  ): Promise<AppliedClients> {
    const applied = { changes: [] as Change[], madeSecrets: [] as { clientId: string; secret: string }[] }
    const problems = problemsOf(declared)
    if (problems.length > 0) return { ...applied, problems }
    const known = new Map((await listClients(trx, tenantId)).map(client => [client.clientId, client]))
    for (const client of declared) {
      const { client_id: clientId } = client
      const current = known.get(clientId)
      if (current) {
        applied.changes.push(...(await changeDeclared(trx, tenantId, current, client, now)))
        continue
      }
      const settings = settingsOf(client, undefined)
      const secret = client.client_secret ?? makeSecret()
      await insertClient(trx, tenantId, {
        clientId,
        ...settings,
        secretHash: hashSecret(secret),
        createdAt: now,
      })
      const details = writeSettings(settings)
      applied.changes.push({
        action: 'client.created',
        target: clientId,
        details,
        text: `client ${clientId} added`,
      })
      if (client.client_secret === undefined) applied.madeSecrets.push({ clientId, secret })
    }
    return { ...applied, problems }
  },
}
