import Fastify from 'fastify'

// The rival of single events, a process of its own: a Fastify route that parses the same body and
// stores nothing.
const app = Fastify({ bodyLimit: 256 * 1024 })
app.removeAllContentTypeParsers()
app.addContentTypeParser(
  ['application/json', 'text/plain'],
  { parseAs: 'string' },
  (_request, body, done) => {
    try {
      done(null, JSON.parse(body as string))
    } catch (error) {
      done(error as Error)
    }
  },
)
app.post<{ Body: { events: unknown[] } }>('/api/sdk/events', (request, reply) => {
  reply.code(202).send({ accepted: request.body.events.length, duplicates: 0, rejected: [] })
})
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => process.exit(0))
process.send?.({ port: Number(new URL(address).port) })
