import { Type } from 'typebox'

/** The errors that OAuth endpoints answer (interface 7; RFC 6749 4.1.2.1 and 5.2; OpenID Connect Core 3.1.2.6). */
export const oauthErrorCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unsupported_grant_type',
  'unsupported_response_type',
  'login_required',
] as const
export type OAuthErrorCode = (typeof oauthErrorCodes)[number]

/** The body of every refusal of the token, revocation and introspection endpoints. */
export const OAuthErrorBody = Type.Object(
  {
    error: Type.Enum([...oauthErrorCodes], { description: 'What went wrong, for programs.' }),
    error_description: Type.Optional(
      Type.String({ description: "What to do about it, for the client's developer." }),
    ),
  },
  {
    $id: 'OAuthError',
    description: 'What is wrong with the request, its client or its code.',
    examples: [
      {
        error: 'invalid_grant',
        error_description: 'The code was used already. Send the browser to the authorization endpoint again.',
      },
    ],
  },
)
export type OAuthErrorBody = Type.Static<typeof OAuthErrorBody>

/** Documented only: forms are read by hand, so that what was sent twice is seen. */
const clientCredentials = {
  client_id: Type.Optional(Type.String({ description: 'Unless HTTP Basic authentication is used.' })),
  client_secret: Type.Optional(Type.String({ description: 'Unless HTTP Basic authentication is used.' })),
}

/** The form of POST /oauth/token (interface 4.7). */
export const TokenRequest = Type.Object(
  {
    grant_type: Type.Literal('authorization_code'),
    code: Type.String({ description: 'The authorization code.' }),
    redirect_uri: Type.String({ description: 'As it was sent to the authorization endpoint.' }),
    ...clientCredentials,
    code_verifier: Type.Optional(
      Type.String({
        description: 'Required when a code_challenge was sent: 43 to 128 characters whose SHA-256 it is.',
      }),
    ),
  },
  {
    $id: 'TokenRequest',
    examples: [
      {
        grant_type: 'authorization_code',
        code: 'Zk3vX0bqf6nq1aR9tYH8uWc2LmDpEsJg7oIiBxVwQ4TzKyCr5NhAeUdSjFlPM_Gt',
        redirect_uri: 'https://app.partner.example/callback',
        client_id: 'partner',
        client_secret: 'usher_client_V0hZb3VyLXNlY3JldC1nb2VzLWhlcmUtYW5kLXN0YXlz',
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    ],
  },
)

/** The answer of POST /oauth/token (interface 2.6). */
export const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: "The member's RS256 JWT, for use as a Bearer token." }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Lifetime in seconds.' }),
  },
  {
    $id: 'TokenResponse',
    description: 'A token of its own session, or, from a silent code, of the session of the browser.',
    examples: [
      {
        access_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.eyJzdWIiOiI…',
        token_type: 'Bearer',
        expires_in: 2_592_000,
      },
    ],
  },
)
export type TokenResponse = Type.Static<typeof TokenResponse>

/** The form of POST /oauth/revoke and POST /oauth/introspect (RFC 7009 2.1, RFC 7662 2.1). */
export const TokenReference = Type.Object(
  {
    token: Type.String({ description: 'The access token.' }),
    token_type_hint: Type.Optional(Type.String({ description: 'Taken, and not needed.' })),
    ...clientCredentials,
  },
  {
    $id: 'TokenReference',
    examples: [
      {
        token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.eyJzdWIiOiI…',
        client_id: 'partner',
        client_secret: 'usher_client_V0hZb3VyLXNlY3JldC1nb2VzLWhlcmUtYW5kLXN0YXlz',
      },
    ],
  },
)

const seconds = (description: string) =>
  Type.Integer({ description: `${description}, in seconds since 1970.` })

/** The answer of POST /oauth/introspect (RFC 7662 2.2). */
export const IntrospectionResponse = Type.Union(
  [
    Type.Object({ active: Type.Literal(false) }),
    Type.Object({
      active: Type.Literal(true),
      token_type: Type.Literal('Bearer'),
      iss: Type.String({ description: 'The tenant.' }),
      sub: Type.String({ description: 'The member.' }),
      aud: Type.Array(Type.String()),
      azp: Type.String({ description: 'The client that the token was issued to.' }),
      client_id: Type.String({ description: 'The same.' }),
      sid: Type.String({ description: 'The session that the token rides.' }),
      jti: Type.String({ description: 'The token.' }),
      iat: seconds('When it was issued'),
      exp: seconds('When it expires'),
    }),
  ],
  {
    $id: 'IntrospectionResponse',
    description: 'Whether the token is good now, and what it says.',
    examples: [
      { active: false },
      {
        active: true,
        token_type: 'Bearer',
        iss: 'https://members.acme.example',
        sub: '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a70',
        aud: ['https://members.acme.example', 'partner'],
        azp: 'partner',
        client_id: 'partner',
        sid: '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a71',
        jti: '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a72',
        iat: 1_795_250_000,
        exp: 1_797_842_000,
      },
    ],
  },
)
export type IntrospectionResponse = Type.Static<typeof IntrospectionResponse>

const url = (description: string) => Type.String({ format: 'uri', description })
const names = (description: string) => Type.Array(Type.String(), { description })

/** The discovery document (interface 2.8; RFC 8414 2). */
export const DiscoveryDocument = Type.Object(
  {
    issuer: url('The tenant, as `iss` has it.'),
    authorization_endpoint: url('Where to send the browser.'),
    token_endpoint: url('Where codes are exchanged.'),
    jwks_uri: url("The tenant's public keys."),
    revocation_endpoint: url('RFC 7009.'),
    introspection_endpoint: url('RFC 7662.'),
    response_types_supported: names('`code` is what the authorization endpoint takes.'),
    response_modes_supported: names('How an answer reaches the redirect URI.'),
    grant_types_supported: names('What the token endpoint takes.'),
    code_challenge_methods_supported: names('RFC 7636.'),
    prompt_values_supported: names('Values of `prompt`.'),
    token_endpoint_auth_methods_supported: names('How a client shows who it is.'),
    revocation_endpoint_auth_methods_supported: names('The same.'),
    introspection_endpoint_auth_methods_supported: names('The same.'),
    subject_types_supported: names('`sub` is the same for every client.'),
    id_token_signing_alg_values_supported: names('How tokens are signed.'),
    authorization_response_iss_parameter_supported: Type.Boolean({ description: 'RFC 9207.' }),
  },
  { $id: 'DiscoveryDocument', description: 'How to sign members of this tenant in.' },
)
export type DiscoveryDocument = Type.Static<typeof DiscoveryDocument>

/** The tenant's public keys (RFC 7517 5). */
export const Jwks = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.String(),
        use: Type.String(),
        alg: Type.String(),
        kid: Type.String({ description: 'As in the header of a token that it signed.' }),
        n: Type.String(),
        e: Type.String(),
      }),
    ),
  },
  {
    $id: 'Jwks',
    description: 'Keys that verify tokens of this tenant. A new one is here a day before it signs.',
    examples: [
      {
        keys: [
          { kty: 'RSA', use: 'sig', alg: 'RS256', kid: 'k5XkEg2a0mQ', n: 'u1SU1LfVLPHCozMxH2Mo…', e: 'AQAB' },
        ],
      },
    ],
  },
)

const clientAttributes = {
  name: Type.String({ description: 'what members read on the sign-in page' }),
  redirect_uris: Type.Array(Type.String({ description: 'a URL' }), {
    description: 'a list of exact HTTPS URLs; the probe uses the first',
  }),
  allowed_origins: Type.Array(Type.String({ description: 'an origin' }), {
    description: 'a list of origins that the session probe answers',
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
      { description: 'a resource' },
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
