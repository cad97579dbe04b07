import type { ClientChange } from '@usher/contract'
import { invalid } from '../foundation/http/index.ts'
import { type ClientSettings, defaultClientSettings } from './client.ts'
import { writeSettings } from './client-audit.ts'
import { clientErrors } from './client-rules.ts'

const SETTABLE = [
  'name',
  'redirect_uris',
  'allowed_origins',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'pkce_required',
  'enabled',
]
/** Why some attributes that a client has cannot be sent. */
const FIXED = new Map([
  ['client_secret', 'client_secret is made here. It cannot be set, only regenerated.'],
  ['client_id', 'client_id never changes. For a new client, send it as id of the resource.'],
])

type Written = ReturnType<typeof writeSettings>

const readSettings = (written: Written): ClientSettings => ({
  name: written.name,
  redirectUris: written.redirect_uris,
  allowedOrigins: written.allowed_origins,
  postLogoutRedirectUris: written.post_logout_redirect_uris,
  backchannelLogoutUri: written.backchannel_logout_uri,
  pkceRequired: written.pkce_required,
  enabled: written.enabled,
})

/** The messages of attributes that cannot be set. */
function unsettable(attributes: object): Record<string, string[]> {
  const unknown = Object.keys(attributes).filter(name => !SETTABLE.includes(name))
  return Object.fromEntries(
    unknown.map(name => [name, [FIXED.get(name) ?? `${name} is no attribute that can be set.`]]),
  )
}

function check(written: Written & { client_id?: string }, more: Record<string, string[]>): ClientSettings {
  const errors = { ...more, ...clientErrors(written) }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return readSettings(written)
}

/** The settings of a new client. Throws 422 with the messages of each field. */
export function readNewClient({ id, attributes = {} }: ClientChange['data']): ClientSettings {
  const { name, redirect_uris, ...rest } = attributes
  const missing = {
    ...(name === undefined && { name: ['name is missing.'] }),
    ...(redirect_uris === undefined && { redirect_uris: ['redirect_uris is missing.'] }),
  }
  if (name === undefined || redirect_uris === undefined)
    throw invalid({ ...missing, ...unsettable(attributes) })
  const defaults = writeSettings({ name, redirectUris: redirect_uris, ...defaultClientSettings })
  const written = { ...defaults, ...pick(rest), ...(id !== undefined && { client_id: id }) }
  return check(written, unsettable(attributes))
}

/** The settings of a client with what was sent of them. Throws 422 with the messages of each field. */
export function readChangedClient(
  client: ClientSettings,
  { attributes = {} }: ClientChange['data'],
): ClientSettings {
  return check({ ...writeSettings(client), ...pick(attributes) }, unsettable(attributes))
}

/** The settable ones alone. */
const pick = (attributes: object): Partial<Written> =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => SETTABLE.includes(name)))
