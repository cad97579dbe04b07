import { Type } from 'typebox'
import { abilities } from '../credential.ts'
import { closed, EMAIL, NAME, TIME, TOKEN, text } from './text-forms.ts'

const token = Type.Optional(text(TOKEN, 'Used as given; without it one is made and printed once.'))
const keyAbilities = Type.Optional(
  Type.Array(Type.Enum([...abilities]), {
    minItems: 1,
    description: 'What the key may do; without it, everything.',
  }),
)
const expiresAt = Type.Optional(text(TIME, 'When the key stops working; a day begins at midnight UTC.'))

export const PlatformKey = Type.Object(
  {
    name: text(NAME, 'Unique among the keys of the platform.'),
    operator: Type.Optional(text(EMAIL, 'The operator it belongs to; without it, the first operator.')),
    token,
    abilities: keyAbilities,
    expires_at: expiresAt,
  },
  closed,
)

export const TenantKey = Type.Object(
  {
    name: text(NAME, 'Unique among the keys of the tenant.'),
    user: Type.Optional(
      text(EMAIL, "Of the tenant's staff, or an operator; without it, the first administrator."),
    ),
    token,
    abilities: keyAbilities,
    expires_at: expiresAt,
  },
  closed,
)
export type KeyDeclaration = Type.Static<typeof TenantKey>
