import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { isDatabaseUnavailable } from '../database/index.ts'
import { sampled } from '../sampled.ts'
import { ApiError, invalid, notFound, unavailable } from './api-error.ts'
import { lostPage } from './lost-page.ts'

/** Ajv's, with `verbose`: the schema that was not met, whose description completes "<name> must be …". */
type ValidationFault = FastifySchemaValidationError & {
  parentSchema?: { description?: string; properties?: Record<string, { description?: string }> }
}

/** What Fastify and its parsers throw, in the words and statuses of decisions.md. */
function fromFastify(error: FastifyError): ApiError | undefined {
  if (error.validation) {
    const errors: Record<string, string[]> = {}
    for (const { instancePath, params, parentSchema, message } of error.validation as ValidationFault[]) {
      const missing = params.missingProperty as string | undefined
      const name = String(missing ?? (instancePath.slice(1).split('/')[0] || error.validationContext))
      // The first fault says it: of a union, every member would add its own.
      const missed = missing && parentSchema?.properties?.[missing]?.description
      errors[name] ??= [
        missing
          ? `${name} is missing${missed ? `: it must be ${missed}` : ''}.`
          : `${name} ${parentSchema?.description ? `must be ${parentSchema.description}` : message}.`,
      ]
    }
    return invalid(errors)
  }
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(415, 'Send the body as application/json.')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(413, 'The body is larger than this route takes. Send less at a time.')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError(400, 'The body is not valid JSON.')
  }
  if (error instanceof SyntaxError) return new ApiError(400, 'The body is not valid JSON.')
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new ApiError(400, 'The request cannot be read.', { cause: error })
  return undefined
}

/** Sends an API error: status, headers and `{message, errors?}` as application/json. */
function sendApiError(reply: FastifyReply, error: ApiError): FastifyReply {
  return reply.code(error.status).headers(error.headers).type('application/json').send(error.body())
}

/** Whether an error says that something which is needed is away for the moment: 503 is due. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof ApiError ? error.status === 503 : isDatabaseUnavailable(error)

interface Refused {
  request: FastifyRequest
  message: string
  err: unknown
}

/** An outage refuses every request; one line a second tells of it. */
const quietMs = 1_000

export interface ErrorHandling {
  /** In development: the address of the platform, for people who have mistaken it. */
  developmentUrl?: URL | undefined
}

/** 404: a page for a developer's browser, which goes there itself; JSON for everybody else. */
function sendNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
  { developmentUrl }: ErrorHandling,
): FastifyReply {
  const isBrowser = request.method === 'GET' && request.headers.accept?.includes('text/html')
  if (!developmentUrl || !isBrowser) return sendApiError(reply, error)
  return reply
    .code(404)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    )
    .send(lostPage(error.body().message, developmentUrl))
}

function errorHandler(options: ErrorHandling) {
  const tellRefused = sampled<Refused>(
    ({ request, message, err }, leftOut) =>
      request.log.warn({ requestId: request.id, err, leftOut }, message),
    quietMs,
  )
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof ApiError) {
      if (error.status === 503) tellRefused({ request, message: error.message, err: error.cause ?? error })
      return error.status === 404 ? sendNotFound(request, reply, error, options) : sendApiError(reply, error)
    }
    // The client went away in the middle of its body: nobody reads this, and nothing is wrong here.
    if (request.raw.errored === error)
      return sendApiError(reply, new ApiError(400, 'The request ended before its body was complete.'))
    if (isDatabaseUnavailable(error)) {
      tellRefused({ request, message: 'database unavailable', err: error })
      return sendApiError(reply, unavailable('The database cannot be reached. Try again shortly.', error))
    }
    const known = fromFastify(error)
    if (known) return sendApiError(reply, known)
    request.log.error({ requestId: request.id, err: error }, 'unexpected error')
    return reply
      .code(500)
      .type('application/json')
      .send({ message: `Something went wrong here. The request's id is ${request.id}.` })
  }
}

/** Renders every error of the API in one place. */
export function addErrorHandling(app: FastifyInstance, options: ErrorHandling = {}): void {
  app.setErrorHandler(errorHandler(options))
  app.setNotFoundHandler((request, reply) => sendNotFound(request, reply, notFound(), options))
}
