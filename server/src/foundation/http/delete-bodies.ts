import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Forgets the media type of a body that is not there. */
function forgetTypeOfNoBody({ headers }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const length = headers['content-length']
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0'))
    delete headers['content-type']
  done()
}

/** Lets a DELETE name a media type without having a body, as clients do that send one with every request: parsers
 *  would find nothing to be no JSON, and refuse other types. Call it before routes are added. */
export function addDeletesWithoutBody(app: FastifyInstance): void {
  app.addHook('onRoute', route => {
    if ([route.method].flat().includes('DELETE'))
      route.onRequest = [forgetTypeOfNoBody, ...[route.onRequest ?? []].flat()]
  })
}
