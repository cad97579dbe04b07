import type { Secrets } from '../../foundation/secrets/index.ts'
import type { SocialProvider } from './provider.ts'
import { changedSettings, type ProviderChange } from './provider-audit.ts'
import type { ProviderDraft } from './provider-draft.ts'
import { openSecret, sealSecret } from './provider-secret.ts'

/** Whether a secret is another one than the provider has. One that cannot be opened any more is. */
function isOtherSecret(secrets: Secrets, tenantId: string, current: SocialProvider, secret: string): boolean {
  try {
    return openSecret(secrets, tenantId, current) !== secret
  } catch {
    return true
  }
}

/** The draft without a secret that the provider has already. */
export const withoutKnownSecret = (
  secrets: Secrets,
  tenantId: string,
  draft: ProviderDraft,
  current: SocialProvider,
): ProviderDraft =>
  draft.secret !== undefined && isOtherSecret(secrets, tenantId, current, draft.secret)
    ? draft
    : { ...draft, secret: undefined }

/** A provider that was not there before. */
export function newProvider(
  secrets: Secrets,
  tenantId: string,
  { secret = '', ...settings }: ProviderDraft,
  now: Date,
): SocialProvider {
  return {
    ...settings,
    sealedSecret: sealSecret(secrets, tenantId, settings.id, secret),
    createdAt: now,
    updatedAt: now,
    secretChangedAt: now,
  }
}

/** A provider as the draft has it, and what of it is new; none where nothing is. */
export function changeProviderTo(
  secrets: Secrets,
  tenantId: string,
  current: SocialProvider,
  { draft, now }: { draft: ProviderDraft; now: Date },
): { provider: SocialProvider; changes: ProviderChange[] } {
  const { secret, ...settings } = draft
  const details = changedSettings(current, settings)
  const changes: ProviderChange[] = [
    ...(Object.keys(details).length > 0 ? [{ action: 'social_provider.changed' as const, details }] : []),
    ...(secret === undefined ? [] : [{ action: 'social_provider.secret_changed' as const }]),
  ]
  const provider: SocialProvider = {
    ...current,
    ...settings,
    ...(changes.length > 0 && { updatedAt: now }),
    ...(secret !== undefined && {
      sealedSecret: sealSecret(secrets, tenantId, current.id, secret),
      secretChangedAt: now,
    }),
  }
  return { provider, changes }
}
