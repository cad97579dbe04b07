import { socialProviderKinds } from '@usher/contract'
import { Type } from 'typebox'
import {
  ADDRESS,
  APPLE_ID,
  closed,
  FOREIGN_SECRET,
  PEM,
  PROVIDER_ID,
  PROVIDER_NAME,
  text,
} from './text-forms.ts'

export const TenantProvider = Type.Object(
  {
    provider: Type.Enum([...socialProviderKinds], {
      description: 'One with ready settings, or any other provider of OpenID Connect.',
    }),
    id: Type.Optional(
      text(
        PROVIDER_ID,
        'Stands in its redirect URI, {domain}/sign-in/social/{id}/callback; without it the kind, or of oidc the name in lower case.',
      ),
    ),
    name: Type.Optional(text(PROVIDER_NAME, 'What members read on its button; of oidc needed.')),
    issuer: Type.Optional(
      text(
        ADDRESS,
        'Its https address; of oidc needed, of Microsoft that of one directory, of GitHub that of an Enterprise Server.',
      ),
    ),
    client_id: text(FOREIGN_SECRET, 'What the provider calls the tenant.'),
    client_secret: Type.Optional(text(FOREIGN_SECRET, 'What the provider has given out; not of Apple.')),
    team_id: Type.Optional(text(APPLE_ID, "Of Apple: the team's id.")),
    key_id: Type.Optional(text(APPLE_ID, "Of Apple: the key's id.")),
    private_key: Type.Optional(text(PEM, 'Of Apple: the text of the .p8 file.')),
    enabled: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether members are offered it. Only then it is tried.' }),
    ),
  },
  closed,
)
export type ProviderDeclaration = Type.Static<typeof TenantProvider>
