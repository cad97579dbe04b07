export const abilities = ['events:read', 'events:delete', 'health:read', 'admin:read', 'admin:write'] as const

/** What an API key may do. */
export type Ability = (typeof abilities)[number]

/** A verified API key: a platform key belongs to an operator, an organization key to a tenant's staff. */
export type Credential =
  | { kind: 'platform'; keyId: string; userId: string; abilities: ReadonlySet<Ability> }
  | { kind: 'organization'; keyId: string; userId: string; tenantId: string; abilities: ReadonlySet<Ability> }
