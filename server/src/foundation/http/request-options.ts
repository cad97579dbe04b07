import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { requestIds } from './answers.ts'
import { ApiError } from './api-error.ts'

/** What Node's parser found, in our words; anything else is 400. */
const faults: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time. Send it again.'],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The address and the headers are too long together. Send fewer.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions of the body are too long.'],
}

/** Answers an address that the router cannot decode like every other error; Fastify's own answer is of another form
 *  and quotes the address. */
function answerBadAddress(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = new ApiError(400, 'The address is not valid: its percent-encoding cannot be read.')
  // No hook runs here.
  return reply
    .code(error.status)
    .header('x-request-id', request.id)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(error.body())))
}

/** Answers on the socket what never became a request: what is not HTTP, is too large, or does not arrive. */
function answerUnreadable(nextRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    // Into an answer that is on its way, another cannot be put.
    const { _httpMessage: current } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null }
    if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
      socket.destroy()
      return
    }
    const [status, message] = faults[error.code ?? ''] ?? [
      '400 Bad Request',
      'The request is not valid HTTP.',
    ]
    const body = JSON.stringify({ message })
    socket.end(
      [
        `HTTP/1.1 ${status}`,
        `x-request-id: ${nextRequestId()}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
      // Whoever does not read it is not waited for.
      () => socket.destroy(),
    )
  }
}

/** The path and query that a request asks for. A target in absolute form, as proxies send it, names its host too,
 *  and that one counts, not the header's (RFC 9112 3.2.2). */
function toOriginForm(request: IncomingMessage): string {
  const target = request.url ?? '/'
  if (target.startsWith('/')) return target
  const url = URL.parse(target)
  if (!url) return target
  request.headers.host = url.host
  return url.pathname + url.search
}

/** Options for Fastify by which every answer has a request id and the form of decisions ("Answers"), also an answer
 *  to what never comes to a route. */
export function requestOptions() {
  const nextRequestId = requestIds()
  return {
    // request-rules.ts refuses it, with an answer that says why.
    http: { requireHostHeader: false },
    genReqId: nextRequestId,
    rewriteUrl: toOriginForm,
    frameworkErrors: answerBadAddress,
    clientErrorHandler: answerUnreadable(nextRequestId),
  }
}
