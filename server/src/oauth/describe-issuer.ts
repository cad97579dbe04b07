import type { DiscoveryDocument } from '@usher/contract'
import { scopes } from './openid/scopes.ts'

const clientAuthentication = ['client_secret_post', 'client_secret_basic']

/** The discovery document of a tenant, by the origin of its domain (interface 2.8; RFC 8414 2; OpenID Connect
 *  Discovery 3). */
export function describeIssuer(issuer: string): DiscoveryDocument {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    end_session_endpoint: `${issuer}/oauth/logout`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    response_types_supported: ['token', 'code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'select_account'],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    introspection_endpoint_auth_methods_supported: clientAuthentication,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: [...scopes],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'sid'],
      ...['email', 'email_verified', 'name', 'updated_at'],
    ],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  }
}
