import { Type } from 'typebox'

/** The path of a route about one session. */
export const SessionParams = Type.Object({
  session_id: Type.String({
    pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
    description: 'a UUID',
    examples: ['0197c2d4-5e00-7a31-9c55-1f2e3d4c5b6b'],
  }),
})
export type SessionParams = Type.Static<typeof SessionParams>
