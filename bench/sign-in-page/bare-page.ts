import Fastify from 'fastify'

// The rival of the sign-in page, a process of its own: a Fastify route that answers a GET with a page of the same size.
process.once('message', async ({ bytes }: { bytes: number }) => {
  const app = Fastify()
  const page = `<!doctype html>${'x'.repeat(Math.max(0, bytes - 15))}`
  app.get('/oauth/authorize', (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ port: Number(new URL(address).port) })
})
process.on('disconnect', () => process.exit(0))
