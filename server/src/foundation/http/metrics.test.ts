import Fastify, { type FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addErrorHandling, addHttpMetrics } from './index.ts'

let app: FastifyInstance
let registry: Registry

beforeEach(async () => {
  app = Fastify()
  registry = new Registry()
  addErrorHandling(app)
  addHttpMetrics(app, registry)
  app.get('/things/:id', async request => request.params)
  app.post('/things/:id', async () => {
    throw new Error('broken')
  })
  app.get('/slow', async () => {
    await new Promise(resolve => setTimeout(resolve, 30))
    return {}
  })
  app.route({ method: ['PUT', 'PATCH'], url: '/both', handler: async () => ({}) })
  // Routes in a plugin are counted too.
  await app.register((scope, _options, done) => {
    scope.get('/inside', async () => ({}))
    done()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => app.close())

const send = (path: string, method = 'GET') => {
  const address = app.server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return fetch(`http://127.0.0.1:${port}${path}`, { method }).then(answer => answer.text())
}
async function lines(name: string): Promise<string[]> {
  const text = await registry.metrics()
  return text.split('\n').filter(line => line.startsWith(name))
}

describe('the metrics of requests', () => {
  test('count by method, route pattern and status', async () => {
    await send('/things/1')
    await send('/things/2?a=b')
    await send('/things/1', 'POST')
    await send('/inside')
    await send('/both', 'PUT')
    await send('/both', 'PATCH')
    expect((await lines('usher_http_requests_total')).sort()).toEqual([
      'usher_http_requests_total{method="GET",route="/inside",status="200"} 1',
      'usher_http_requests_total{method="GET",route="/things/:id",status="200"} 2',
      'usher_http_requests_total{method="PATCH",route="/both",status="200"} 1',
      'usher_http_requests_total{method="POST",route="/things/:id",status="500"} 1',
      'usher_http_requests_total{method="PUT",route="/both",status="200"} 1',
    ])
  })

  test('count what no route takes under one name, so that strangers cannot make series', async () => {
    for (const path of ['/a', '/b', '/things']) await send(path)
    expect(await lines('usher_http_requests_total')).toEqual([
      'usher_http_requests_total{method="GET",route="unmatched",status="404"} 3',
    ])
  })

  test('time them', async () => {
    await send('/slow')
    await send('/slow')
    const text = await lines('usher_http_request_duration_seconds')
    const value = (start: string) => Number(text.find(line => line.startsWith(start))?.split(' ')[1])
    const bucket = (le: string) =>
      value(`usher_http_request_duration_seconds_bucket{le="${le}",method="GET",route="/slow"}`)
    expect(bucket('0.025')).toBe(0)
    expect(bucket('10')).toBe(2)
    expect(bucket('+Inf')).toBe(2)
    expect(value('usher_http_request_duration_seconds_count{method="GET",route="/slow"}')).toBe(2)
    const sum = value('usher_http_request_duration_seconds_sum{method="GET",route="/slow"}')
    expect(sum).toBeGreaterThan(0.055)
    expect(sum).toBeLessThan(5)
  })

  test('have the types that Prometheus expects', async () => {
    await send('/slow')
    expect(await lines('# TYPE')).toEqual([
      '# TYPE usher_http_requests_total counter',
      '# TYPE usher_http_request_duration_seconds histogram',
    ])
  })
})
