import { Type } from 'typebox'

/** The body of every API error (interface 7; decisions, "Answers"). */
export const ErrorBody = Type.Object(
  {
    message: Type.String({ description: 'What went wrong, and what to do about it.' }),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'For invalid values: the messages of each field.',
      }),
    ),
  },
  { $id: 'Error', examples: [{ message: 'Send an API key as "Authorization: Bearer <key>".' }] },
)
export type ErrorBody = Type.Static<typeof ErrorBody>
