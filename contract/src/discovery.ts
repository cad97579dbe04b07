import { Type } from 'typebox'

const url = (description: string) => Type.String({ format: 'uri', description })
const names = (description: string) => Type.Array(Type.String(), { description })

/** The discovery document (interface 2.8; RFC 8414 2; OpenID Connect Discovery 3). */
export const DiscoveryDocument = Type.Object(
  {
    issuer: url('The tenant, as `iss` has it.'),
    authorization_endpoint: url('Where to send the browser.'),
    token_endpoint: url('Where codes are exchanged.'),
    jwks_uri: url("The tenant's public keys."),
    userinfo_endpoint: url('Who the member of an access token is.'),
    end_session_endpoint: url('Where to send the browser to sign out.'),
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
    scopes_supported: names('Values of `scope`; any other is ignored.'),
    claims_supported: names('What an id_token and userinfo can say.'),
    backchannel_logout_supported: Type.Boolean({ description: 'A client can be told of sign-outs.' }),
    backchannel_logout_session_supported: Type.Boolean({ description: 'It is told of which session.' }),
    claims_parameter_supported: Type.Boolean({ description: '`claims` is ignored.' }),
    request_parameter_supported: Type.Boolean({ description: '`request` is refused.' }),
    request_uri_parameter_supported: Type.Boolean({ description: '`request_uri` is refused.' }),
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
