import type { SocialProviderKind } from '@usher/contract'
import { isAppleKey } from './apple-secret.ts'
import type { ProviderSettings, SocialProvider } from './provider.ts'
import { factsOf } from './provider-kinds.ts'

/** A provider's settings as they are written in the API and in the platform file. */
export interface WrittenProvider {
  name?: string | undefined
  issuer?: string | undefined
  client_id?: string | undefined
  client_secret?: string | undefined
  team_id?: string | undefined
  key_id?: string | undefined
  private_key?: string | undefined
  enabled?: boolean | undefined
}

/** What is wrong with a field, to be read after its name: "must be …". */
export interface DraftProblem {
  field: keyof WrittenProvider | 'id'
  message: string
}

/** A provider as it is to be. */
export interface ProviderDraft extends ProviderSettings {
  id: string
  kind: SocialProviderKind
  /** Undefined: the one that it has. */
  secret: string | undefined
}

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/
/** Whether a text can be a provider's id at all. */
export const isProviderId = (text: string): boolean => ID.test(text)

/** The id of a new provider that was given none: its kind, or of those that there can be several of its name. "" where
 *  the name has no letter that an id can have. */
export function makeProviderId(kind: SocialProviderKind, name: string | undefined): string {
  if (kind !== 'oidc') return kind
  return (name ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 30)
}

/** The same, and one that is not taken. */
export function makeFreeId(
  kind: SocialProviderKind,
  name: string | undefined,
  taken: readonly string[],
): string {
  const base = makeProviderId(kind, name) || 'provider'
  for (let count = 1; ; count++) {
    const id = count === 1 ? base : `${base}-${count}`
    if (!taken.includes(id)) return id
  }
}

const isLine = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && /^(?!\s)\P{Cc}+(?<!\s)$/u.test(text) && text.isWellFormed()
const isVisible = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && /^[!-~]+$/.test(text)

/** Why an address is no issuer (OpenID Connect Discovery 3). Whether it leads somewhere is seen when it is asked. */
function issuerFault(kind: SocialProviderKind, issuer: string, allowLocal: boolean): string | undefined {
  const url = isVisible(issuer, 2_048) ? URL.parse(issuer) : null
  const protocols = allowLocal ? ['https:', 'http:'] : ['https:']
  if (!url || !protocols.includes(url.protocol)) return 'must be an https address'
  if (/[?#]/.test(issuer)) return 'must be an address without a query or a fragment'
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password'
  if (url.pathname.includes('/.well-known/')) return 'must be the issuer alone, without /.well-known/…'
  if (kind === 'github' && url.pathname !== '/login/oauth')
    return 'of GitHub must be https://github.com/login/oauth, or the same of an Enterprise Server'
  return undefined
}

function* keyProblems(
  draft: ProviderDraft,
  isNew: boolean,
  written: WrittenProvider,
): Generator<DraftProblem> {
  if (draft.kind !== 'apple') {
    for (const field of ['team_id', 'key_id', 'private_key'] as const)
      if (written[field] !== undefined) yield { field, message: 'is of Apple alone; leave it out' }
    if (draft.secret === undefined && isNew) yield { field: 'client_secret', message: 'is missing' }
    if (draft.secret !== undefined && !isVisible(draft.secret, 4_096))
      yield { field: 'client_secret', message: 'must be 1 to 4,096 visible ASCII characters' }
    return
  }
  if (written.client_secret !== undefined)
    yield { field: 'client_secret', message: 'is made from private_key; leave it out' }
  const tenCharacters = 'must be the 10 capital letters and digits that Apple shows'
  if (!/^[A-Z0-9]{10}$/.test(draft.teamId ?? '')) yield { field: 'team_id', message: tenCharacters }
  if (!/^[A-Z0-9]{10}$/.test(draft.keyId ?? '')) yield { field: 'key_id', message: tenCharacters }
  if (draft.secret === undefined ? isNew : draft.secret.length > 4_096 || !isAppleKey(draft.secret))
    yield { field: 'private_key', message: 'must be the text of the .p8 file, a private key for ES256' }
}

/** Puts together what a provider is to be: what is not written stays, or is the default of its kind. Answers all that is
 *  wrong with it too. */
export function draftProvider(
  { id, kind, written }: { id: string; kind: SocialProviderKind; written: WrittenProvider },
  current: SocialProvider | undefined,
  allowLocal: boolean,
): { draft: ProviderDraft; problems: DraftProblem[] } {
  const facts = factsOf(kind)
  const draft: ProviderDraft = {
    id,
    kind,
    name: written.name ?? current?.name ?? facts.name ?? '',
    issuer: written.issuer ?? current?.issuer ?? facts.issuer ?? '',
    clientId: written.client_id ?? current?.clientId ?? '',
    teamId: kind === 'apple' ? (written.team_id ?? current?.teamId ?? '') : null,
    keyId: kind === 'apple' ? (written.key_id ?? current?.keyId ?? '') : null,
    enabled: written.enabled ?? current?.enabled ?? true,
    secret: kind === 'apple' ? written.private_key : written.client_secret,
  }
  const problems: DraftProblem[] = []
  if (!isProviderId(id))
    problems.push({ field: 'id', message: 'must be 1 to 40 lower-case letters, digits and hyphens' })
  if (draft.name === '' && written.name === undefined)
    problems.push({ field: 'name', message: 'is missing: members read it on its button' })
  else if (!isLine(draft.name, 100))
    problems.push({
      field: 'name',
      message: 'must be 1 to 100 characters on one line, without spaces around it',
    })
  const isUnnamed = draft.issuer === '' && written.issuer === undefined
  const issuer = isUnnamed ? 'is missing' : issuerFault(kind, draft.issuer, allowLocal)
  if (issuer !== undefined) problems.push({ field: 'issuer', message: issuer })
  if (draft.clientId === '' && written.client_id === undefined)
    problems.push({ field: 'client_id', message: 'is missing' })
  else if (!isVisible(draft.clientId, 512))
    problems.push({ field: 'client_id', message: 'must be 1 to 512 visible ASCII characters' })
  problems.push(...keyProblems(draft, current === undefined, written))
  return { draft, problems }
}

/** Whether a draft has to be tried with its provider: it is offered, and something that the provider decides on is new. */
export function needsCheck(draft: ProviderDraft, current: SocialProvider | undefined): boolean {
  if (!draft.enabled) return false
  if (!current?.enabled || draft.secret !== undefined) return true
  const terms = ({ issuer, clientId, teamId, keyId }: ProviderSettings) =>
    JSON.stringify([issuer, clientId, teamId, keyId])
  return terms(draft) !== terms(current)
}
