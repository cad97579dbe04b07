import { Type } from 'typebox'

const clientAttributes = {
  name: Type.String({ description: 'what members read on the sign-in page' }),
  redirect_uris: Type.Array(Type.String({ description: 'a URL' }), {
    description: 'a list of exact HTTPS URLs; the probe uses the first',
  }),
  allowed_origins: Type.Array(Type.String({ description: 'an origin' }), {
    description: 'a list of origins that the session probe answers',
  }),
  post_logout_redirect_uris: Type.Array(Type.String({ description: 'a URL' }), {
    description: 'a list of exact HTTPS URLs that a browser may be sent to once it was signed out',
  }),
  backchannel_logout_uri: Type.Union([Type.String(), Type.Null()], {
    description: 'an HTTPS URL where the client is told that a session has ended, or null',
  }),
  pkce_required: Type.Boolean({ description: 'true or false' }),
  enabled: Type.Boolean({ description: 'true or false' }),
}
const timestamp = (description: string) =>
  Type.String({ description: `${description}: ISO 8601 with milliseconds and an offset of +00:00.` })

/** A client as a JSON:API resource; its id is its client_id (interface 2.5). */
export const ClientResource = Type.Object(
  {
    id: Type.String({ description: 'The client_id.' }),
    type: Type.Literal('oauth-clients'),
    attributes: Type.Object({
      client_id: Type.String(),
      ...clientAttributes,
      created_at: timestamp('When it was registered'),
      updated_at: timestamp('When anything of it changed last'),
      secret_changed_at: timestamp('When its secret was made'),
      client_secret: Type.Optional(
        Type.String({ description: 'In the answer that made it alone: it is not kept.' }),
      ),
    }),
  },
  { $id: 'OAuthClient' },
)
export type ClientResource = Type.Static<typeof ClientResource>

const exampleClient = {
  id: 'partner',
  type: 'oauth-clients',
  attributes: {
    client_id: 'partner',
    name: 'Partner',
    redirect_uris: ['https://app.partner.example/callback'],
    allowed_origins: ['https://news.acme.example'],
    post_logout_redirect_uris: ['https://app.partner.example/'],
    backchannel_logout_uri: 'https://app.partner.example/backchannel-logout',
    pkce_required: false,
    enabled: true,
    created_at: '2026-07-01T09:30:00.000+00:00',
    updated_at: '2026-07-01T09:30:00.000+00:00',
    secret_changed_at: '2026-07-01T09:30:00.000+00:00',
  },
}

export const ClientDocument = Type.Object(
  { data: ClientResource },
  { $id: 'OAuthClientDocument', description: 'The client.', examples: [{ data: exampleClient }] },
)

export const ClientWithSecretDocument = Type.Object(
  { data: ClientResource },
  {
    $id: 'OAuthClientWithSecretDocument',
    description: 'The client, with its secret, which is shown only now.',
    examples: [
      {
        data: {
          ...exampleClient,
          attributes: {
            ...exampleClient.attributes,
            client_secret: 'usher_client_V0hZb3VyLXNlY3JldC1nb2VzLWhlcmUtYW5kLXN0YXlz',
          },
        },
      },
    ],
  },
)

export const ClientList = Type.Object(
  { data: Type.Array(ClientResource) },
  {
    $id: 'OAuthClientList',
    description: 'The clients, oldest first.',
    examples: [{ data: [exampleClient] }],
  },
)

/** What makes or changes a client. Attributes that are left out get their defaults, or stay. */
export const ClientChange = Type.Object(
  {
    data: Type.Object(
      {
        type: Type.Literal('oauth-clients', { description: '"oauth-clients"' }),
        id: Type.Optional(
          Type.String({ description: 'the client_id; for a new client one is made where this is left out' }),
        ),
        attributes: Type.Optional(Type.Partial(Type.Object(clientAttributes))),
      },
      {
        description:
          'a resource, such as {"type": "oauth-clients", "attributes": {"name": "…", "redirect_uris": ["https://…"]}}',
      },
    ),
  },
  {
    $id: 'OAuthClientChange',
    examples: [
      {
        data: {
          type: 'oauth-clients',
          id: 'partner',
          attributes: { name: 'Partner', redirect_uris: ['https://app.partner.example/callback'] },
        },
      },
    ],
  },
)
export type ClientChange = Type.Static<typeof ClientChange>
