import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** Makes request ids: a random prefix of this process and a counter, so that they never repeat and cost
 *  no entropy on the hot path. */
export function requestIds(): () => string {
  const prefix = randomBytes(8).toString('base64url')
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}

const CHARSET = '; charset=utf-8'

/** Headers that every answer has: x-request-id, and JSON without a charset parameter, which
 *  application/json does not define (RFC 8259 11) and JSON:API forbids. */
export function addAnswerHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    const type = reply.getHeader('content-type')
    if (typeof type === 'string' && type.endsWith(CHARSET) && type.includes('json'))
      reply.header('content-type', type.slice(0, -CHARSET.length))
    done(null, payload)
  })
}
