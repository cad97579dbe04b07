// A stack of some twenty frames; more tells nobody anything, and failed jobs are kept for a week.
const MAX_MESSAGE_LENGTH = 2_000
const MAX_STACK_LENGTH = 8_000
const MAX_CAUSES = 5

/** Text that PostgreSQL's jsonb takes, and not too much of it. */
function bounded(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Why a job failed, as it is kept: name, message with those of the causes, stack. Nothing else of the error
 *  is kept, as libraries hang requests and credentials on theirs. */
export class JobFailure extends Error {
  constructor(error: unknown) {
    const messages: string[] = []
    let fault = error
    while (fault instanceof Error && messages.length < MAX_CAUSES) {
      messages.push(fault.message)
      fault = fault.cause
    }
    if (messages.length === 0) messages.push(String(error))
    super(bounded(messages.join(', because: '), MAX_MESSAGE_LENGTH))
    this.name = error instanceof Error ? bounded(error.name, 100) : 'Error'
    this.stack = error instanceof Error && error.stack ? bounded(error.stack, MAX_STACK_LENGTH) : ''
  }
}

export interface KeptError {
  name: string
  message: string
  stack: string
}

/** Reads what pg-boss keeps of a failure: a JobFailure, or its own words for a job that timed out or whose
 *  worker stopped. */
export function readKeptError(output: unknown): KeptError {
  const fields = (value: unknown): Record<string, unknown> =>
    typeof value === 'object' && value !== null ? { ...value } : {}
  const { name, message, stack, value } = fields(output)
  const words = typeof value === 'string' ? value : (message ?? fields(value).message)
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof words === 'string' ? words : 'The job failed and left no message.',
    stack: typeof stack === 'string' ? stack : '',
  }
}
