import { Type } from 'typebox'

/** The form of POST /oauth/userinfo (RFC 6750 2.2). */
export const UserInfoRequest = Type.Object(
  {
    access_token: Type.Optional(Type.String({ description: 'Unless it is sent as Bearer.' })),
  },
  {
    $id: 'UserInfoRequest',
    examples: [{ access_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.eyJzdWIiOiI…' }],
  },
)

/** The answer of /oauth/userinfo (OpenID Connect Core 5.3.2). */
export const UserInfoResponse = Type.Object(
  {
    sub: Type.String({ description: 'The member, as in the id_token.' }),
    email: Type.Optional(Type.String({ description: 'With the scope `email`: the address, in lower case.' })),
    email_verified: Type.Optional(
      Type.Boolean({ description: 'With the scope `email`: that the address is theirs.' }),
    ),
    name: Type.Optional(Type.String({ description: 'With the scope `profile`, where it is known.' })),
    updated_at: Type.Optional(
      Type.Integer({
        description: 'With the scope `profile`: when any of this changed last, in seconds since 1970.',
      }),
    ),
  },
  {
    $id: 'UserInfo',
    description: 'The member of the token, as far as its scope goes.',
    examples: [
      {
        sub: '019aa2f0-5c1e-7a40-9c3b-2f8d4c5b6a70',
        email: 'ada@example.com',
        email_verified: true,
        name: 'Ada',
        updated_at: 1_795_250_000,
      },
    ],
  },
)
export type UserInfoResponse = Type.Static<typeof UserInfoResponse>
