/** Why there was no answer: the address may not be asked, nobody answered, nobody did in time, or there was too much. */
export type OutgoingFault = 'forbidden' | 'away' | 'slow' | 'too_large'

/** Thrown in place of an answer. */
export class OutgoingError extends Error {
  readonly fault: OutgoingFault

  constructor(fault: OutgoingFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutgoingError'
    this.fault = fault
  }
}

/** The OutgoingError that an error is, or was caused by. */
export function outgoingErrorIn(error: unknown): OutgoingError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++)
    if (at instanceof OutgoingError) return at
  return undefined
}
