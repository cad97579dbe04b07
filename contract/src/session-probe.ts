import { Type } from 'typebox'

/** The answer of GET /oauth/session (interface 2.7). */
export const SessionProbeResponse = Type.Union(
  [
    Type.Object({
      status: Type.Literal('authenticated'),
      code: Type.String({
        description: "A code that the client's server exchanges, with the client's first redirect URI.",
      }),
      expires_in: Type.Literal(30, { description: 'For how many seconds the code is good.' }),
    }),
    Type.Object({ status: Type.Literal('unauthenticated') }),
  ],
  {
    $id: 'SessionProbeResponse',
    description: 'Whether anybody is signed in on the browser. "Nobody" is no error.',
    examples: [
      {
        status: 'authenticated',
        code: 'Zk3vX0bqf6nq1aR9tYH8uWc2LmDpEsJg7oIiBxVwQ4TzKyCr5NhAeUdSjFlPM_Gt',
        expires_in: 30,
      },
      { status: 'unauthenticated' },
    ],
  },
)
export type SessionProbeResponse = Type.Static<typeof SessionProbeResponse>

/** The body of every refusal of the session probe and its preflight (interface 4.8). */
export const SessionProbeRefusal = Type.Object(
  { error: Type.Literal('invalid_request') },
  {
    $id: 'SessionProbeRefusal',
    description:
      'The client and the origin of the request do not go together. Which of them is wrong is not told.',
    examples: [{ error: 'invalid_request' }],
  },
)
export type SessionProbeRefusal = Type.Static<typeof SessionProbeRefusal>
