import { Type } from 'typebox'

/** The errors that OAuth endpoints answer (interface 7; RFC 6749 4.1.2.1 and 5.2; RFC 6750 3.1;
 *  OpenID Connect Core 3.1.2.6). */
export const oauthErrorCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unsupported_grant_type',
  'unsupported_response_type',
  'login_required',
  'invalid_token',
  'insufficient_scope',
  'request_not_supported',
  'request_uri_not_supported',
  'registration_not_supported',
] as const
export type OAuthErrorCode = (typeof oauthErrorCodes)[number]

/** The body of every refusal of the token, userinfo, revocation and introspection endpoints. */
export const OAuthErrorBody = Type.Object(
  {
    error: Type.Enum([...oauthErrorCodes], { description: 'What went wrong, for programs.' }),
    error_description: Type.Optional(
      Type.String({ description: "What to do about it, for the client's developer." }),
    ),
  },
  {
    $id: 'OAuthError',
    description: 'What is wrong with the request, its client, its code or its token.',
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
    id_token: Type.Optional(
      Type.String({ description: 'Who signed in, for the client; with `openid` in the scope alone.' }),
    ),
    scope: Type.Optional(
      Type.String({
        description:
          'What was granted, where that is not what was asked for; with `openid` in the scope alone.',
      }),
    ),
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
      {
        access_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.eyJzdWIiOiI…',
        token_type: 'Bearer',
        expires_in: 2_592_000,
        id_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.eyJzdWIiOiI…',
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
      scope: Type.Optional(Type.String({ description: 'What it opens, if it was issued with `openid`.' })),
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
