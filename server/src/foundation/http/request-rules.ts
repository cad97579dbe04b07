import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ApiError } from './api-error.ts'
import { countHeader } from './count-header.ts'

/** Refuses, in the form of every other error, what Node would serve or answer without a body: a request without a Host
 *  or with two (400, RFC 9112 3.2), and an expectation other than 100-continue (417, RFC 9110 10.1.1). The server is to
 *  be made with `requireHostHeader: false`. */
export function addRequestRules(app: FastifyInstance): void {
  const unmet = new WeakSet<IncomingMessage>()
  app.server.on('checkExpectation', (request, response) => {
    unmet.add(request)
    app.server.emit('request', request, response)
  })
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = countHeader(raw, 'host')
    if (hosts > 1) return done(new ApiError(400, 'Send one Host header, not several.'))
    // HTTP/1.0 has none.
    if (hosts === 0 && raw.httpVersion === '1.1') return done(new ApiError(400, 'Send a Host header.'))
    if (raw.headers.expect !== undefined && unmet.has(raw))
      return done(new ApiError(417, 'Send no other Expect header than 100-continue.'))
    done()
  })
}
