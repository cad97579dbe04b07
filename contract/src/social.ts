import { Type } from 'typebox'

/** Kinds of providers: four with ready settings, and any other of OpenID Connect. */
export const socialProviderKinds = ['google', 'apple', 'microsoft', 'github', 'oidc'] as const
export type SocialProviderKind = (typeof socialProviderKinds)[number]

const attributes = {
  name: Type.String({ description: 'what members read on the button' }),
  issuer: Type.String({
    description:
      'the https address of the provider, as its discovery document has it; of GitHub Enterprise {host}/login/oauth',
  }),
  client_id: Type.String({ description: 'what the provider calls the tenant' }),
  team_id: Type.String({ description: "of Apple: the team's id" }),
  key_id: Type.String({ description: "of Apple: the key's id" }),
  enabled: Type.Boolean({ description: 'true or false' }),
}
const secrets = {
  client_secret: Type.String({ description: 'the secret that the provider has given out' }),
  private_key: Type.String({ description: 'of Apple: the text of the .p8 file' }),
}
const provider = Type.Enum([...socialProviderKinds], {
  description: 'google, apple, microsoft, github or oidc',
})
const timestamp = (description: string) =>
  Type.String({ description: `${description}: ISO 8601 with milliseconds and an offset of +00:00.` })

/** A provider as a JSON:API resource. Its secret is never shown. */
export const SocialProviderResource = Type.Object(
  {
    id: Type.String({ description: 'Stands in the redirect URI, and never changes.' }),
    type: Type.Literal('social-providers'),
    attributes: Type.Object({
      provider,
      name: attributes.name,
      issuer: attributes.issuer,
      client_id: attributes.client_id,
      team_id: Type.Optional(attributes.team_id),
      key_id: Type.Optional(attributes.key_id),
      enabled: Type.Boolean({ description: 'Whether members are offered it.' }),
      redirect_uri: Type.String({ description: 'To be registered with the provider.' }),
      created_at: timestamp('When it was made'),
      updated_at: timestamp('When anything of it changed last'),
      secret_changed_at: timestamp('When its secret was given'),
    }),
  },
  { $id: 'SocialProvider' },
)
export type SocialProviderResource = Type.Static<typeof SocialProviderResource>

const example = {
  id: 'google',
  type: 'social-providers',
  attributes: {
    provider: 'google',
    name: 'Google',
    issuer: 'https://accounts.google.com',
    client_id: '1234567890-abc.apps.googleusercontent.com',
    enabled: true,
    redirect_uri: 'https://members.acme.example/sign-in/social/google/callback',
    created_at: '2026-07-01T09:30:00.000+00:00',
    updated_at: '2026-07-01T09:30:00.000+00:00',
    secret_changed_at: '2026-07-01T09:30:00.000+00:00',
  },
}

const meta = Type.Optional(
  Type.Object({
    warnings: Type.Array(Type.String(), { description: 'What could not be found out about the settings.' }),
  }),
)

export const SocialProviderDocument = Type.Object(
  { data: SocialProviderResource, meta },
  { $id: 'SocialProviderDocument', description: 'The provider.', examples: [{ data: example }] },
)
export type SocialProviderDocument = Type.Static<typeof SocialProviderDocument>

export const SocialProviderList = Type.Object(
  { data: Type.Array(SocialProviderResource) },
  {
    $id: 'SocialProviderList',
    description: 'The providers, oldest first, as the sign-in page has them.',
    examples: [{ data: [example] }],
  },
)

/** What makes or changes a provider. Attributes that are left out get their defaults, or stay. */
export const SocialProviderChange = Type.Object(
  {
    data: Type.Object(
      {
        type: Type.Literal('social-providers', { description: '"social-providers"' }),
        id: Type.Optional(
          Type.String({
            description: 'the id; where a new one leaves it out, its kind or name in lower case',
          }),
        ),
        attributes: Type.Optional(Type.Partial(Type.Object({ provider, ...attributes, ...secrets }))),
      },
      { description: 'a resource' },
    ),
  },
  {
    $id: 'SocialProviderChange',
    examples: [
      {
        data: {
          type: 'social-providers',
          attributes: {
            provider: 'google',
            client_id: '1234567890-abc.apps.googleusercontent.com',
            client_secret: 'GOCSPX-secret-of-the-tenant',
          },
        },
      },
    ],
  },
)
export type SocialProviderChange = Type.Static<typeof SocialProviderChange>
