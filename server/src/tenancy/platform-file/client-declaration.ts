import { Type } from 'typebox'
import { ADDRESS, ADDRESS_OR_NONE, CLIENT_ID, closed, list, NAME, TOKEN, text } from './text-forms.ts'

export const TenantClient = Type.Object(
  {
    client_id: text(CLIENT_ID, 'Public, and never changed; unique among the clients of the tenant.'),
    name: text(NAME, 'What members read on the sign-in page.'),
    client_secret: Type.Optional(
      text(TOKEN, 'Used as given, and another one replaces it; without it one is made and printed once.'),
    ),
    redirect_uris: Type.Array(text(ADDRESS, 'An exact URL.'), {
      minItems: 1,
      description: 'HTTPS, or http://localhost or http://127.0.0.1; the session probe uses the first.',
    }),
    allowed_origins: list(text(ADDRESS, 'An origin.'), 'Origins that the session probe answers.'),
    post_logout_redirect_uris: list(
      text(ADDRESS, 'An exact URL.'),
      'Where a browser may be sent once it was signed out; like redirect_uris.',
    ),
    backchannel_logout_uri: Type.Optional(
      text(ADDRESS_OR_NONE, 'Where the client is told that a session has ended; "" is nowhere.'),
    ),
    pkce_required: Type.Optional(
      Type.Boolean({ default: false, description: 'Refuse who does not use PKCE.' }),
    ),
    enabled: Type.Optional(
      Type.Boolean({ default: true, description: 'A client that is off is refused, with all its tokens.' }),
    ),
  },
  closed,
)
export type ClientDeclaration = Type.Static<typeof TenantClient>
