import type { SocialProviderChange } from '@usher/contract'
import { invalid } from '../../foundation/http/index.ts'
import type { SocialProvider } from './provider.ts'
import { type DraftProblem, draftProvider, makeFreeId, type ProviderDraft } from './provider-draft.ts'

type Data = SocialProviderChange['data']

const SETTABLE = [
  'provider',
  'name',
  'issuer',
  'client_id',
  'client_secret',
  'team_id',
  'key_id',
  'private_key',
  'enabled',
]

/** The messages of attributes that cannot be set. */
function unsettable(attributes: object): Record<string, string[]> {
  const unknown = Object.keys(attributes).filter(name => !SETTABLE.includes(name))
  return Object.fromEntries(unknown.map(name => [name, [`${name} is no attribute that can be set.`]]))
}

/** Problems as the API tells them: the messages of each field. */
export function toErrors(problems: readonly DraftProblem[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const { field, message } of problems)
    errors[field] = [...(errors[field] ?? []), `${field} ${message}.`]
  return errors
}

function check(
  { draft, problems }: { draft: ProviderDraft; problems: DraftProblem[] },
  attributes: object,
): ProviderDraft {
  const errors = { ...unsettable(attributes), ...toErrors(problems) }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return draft
}

/** A new provider; where it was given no id, one that is not taken. Throws 422 with the messages of each field. */
export function readNewProvider(
  { id, attributes = {} }: Data,
  taken: readonly string[],
  allowLocal: boolean,
): ProviderDraft {
  const { provider: kind, ...written } = attributes
  if (kind === undefined) throw invalid({ provider: ['provider is missing.'], ...unsettable(attributes) })
  const ofId = id ?? makeFreeId(kind, written.name, taken)
  return check(draftProvider({ id: ofId, kind, written }, undefined, allowLocal), attributes)
}

/** A provider with what was sent of it. Throws 422 with the messages of each field. */
export function readChangedProvider(
  current: SocialProvider,
  { attributes = {} }: Data,
  allowLocal: boolean,
): ProviderDraft {
  const { provider: kind, ...written } = attributes
  if (kind !== undefined && kind !== current.kind)
    throw invalid({ provider: [`provider never changes: this one is ${current.kind}.`] })
  const { id } = current
  return check(draftProvider({ id, kind: current.kind, written }, current, allowLocal), attributes)
}
