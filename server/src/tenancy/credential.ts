export const abilities = ['events:read', 'events:delete', 'health:read', 'admin:read', 'admin:write'] as const

/** What an API key may do. */
export type Ability = (typeof abilities)[number]

interface KeyCredential {
  keyId: string
  /** The key's name, unique among the live keys of its tenant or of the platform. */
  name: string
  /** The staff user that the key belongs to. */
  userId: string
  abilities: ReadonlySet<Ability>
}

/** A verified API key: a platform key belongs to an operator, an organization key to a tenant's staff. */
export type Credential =
  | ({ kind: 'platform' } & KeyCredential)
  | ({ kind: 'organization'; tenantId: string } & KeyCredential)
