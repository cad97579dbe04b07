import Fastify from 'fastify'

// The rival of probes for nobody, a process of its own: a Fastify route that answers the same few bytes.
const app = Fastify()
app.get('/oauth/session', (_request, reply) => reply.send({ status: 'unauthenticated' }))
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => process.exit(0))
process.send?.({ port: Number(new URL(address).port) })
