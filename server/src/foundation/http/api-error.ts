import type { ErrorBody } from '@usher/contract'

/** The statuses that an API error can have (decisions, "Answers"). */
export type ApiErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 417 | 421 | 422 | 429 | 503

/** An answer other than success: a message that is safe to show, per-field messages, extra headers. */
export class ApiError extends Error {
  readonly status: ApiErrorStatus
  readonly errors: Record<string, string[]> | undefined
  readonly headers: Record<string, string>

  constructor(
    status: ApiErrorStatus,
    message: string,
    options: { errors?: Record<string, string[]>; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.status = status
    this.errors = options.errors
    this.headers = options.headers ?? {}
  }

  /** The body as it is sent. */
  body(): ErrorBody {
    return this.errors ? { message: this.message, errors: this.errors } : { message: this.message }
  }
}

/** 401 with the challenge that RFC 6750 asks for. */
export const unauthorized = (message = 'Send an API key as "Authorization: Bearer <key>".') =>
  new ApiError(401, message, { headers: { 'www-authenticate': 'Bearer' } })

export const forbidden = (message: string) => new ApiError(403, message)

export const notFound = (message = 'There is nothing at this address.') => new ApiError(404, message)

/** 422 with the messages of each field; the body's message is the first of them. */
export function invalid(errors: Record<string, string[]>): ApiError {
  const message = Object.values(errors)[0]?.[0] ?? 'Some values are not valid.'
  return new ApiError(422, message, { errors })
}

/** 503 with Retry-After. */
export const unavailable = (message: string, cause?: unknown, retryAfterS = 1) =>
  new ApiError(503, message, { headers: { 'retry-after': String(retryAfterS) }, cause })
