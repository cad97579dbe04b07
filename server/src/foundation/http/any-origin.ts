import type { FastifyInstance, FastifyReply } from 'fastify'

/** Opens the answers of a plugin's routes, refusals of the edge too, to the pages of any origin, without credentials:
 *  a token is sent as Bearer. None of them is stored. */
export function allowAnyOrigin(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', 'Retry-After, X-Request-Id')
    reply.header('cache-control', 'no-store')
    done(null, payload)
  })
}

/** Answers the preflight of such a route, for its methods. */
export function answerPreflight(reply: FastifyReply, methods: string): void {
  reply
    .code(204)
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', 'Authorization, Content-Type')
    .header('access-control-max-age', '600')
    .send()
}
