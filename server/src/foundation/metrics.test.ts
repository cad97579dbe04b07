import { Counter, Gauge } from 'prom-client'
import { afterEach, describe, expect, test } from 'vitest'
import { createMetrics, type MetricsServer, startMetricsServer } from './metrics.ts'
import { StartError } from './start-error.ts'

const started: MetricsServer[] = []
async function start(registry = createMetrics({ ofProcess: false })) {
  const server = await startMetricsServer({ registry, host: '127.0.0.1', port: 0 })
  started.push(server)
  return { registry, url: `http://127.0.0.1:${server.port}`, port: server.port }
}
afterEach(async () => {
  await Promise.all(started.splice(0).map(server => server.close()))
})

describe('GET /metrics', () => {
  test('gives what is registered, as Prometheus reads it', async () => {
    const { registry, url } = await start()
    new Counter({ name: 'usher_things_total', help: 'Things.', registers: [registry] }).inc(3)
    const answer = await fetch(`${url}/metrics`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await answer.text()).toBe(
      '# HELP usher_things_total Things.\n# TYPE usher_things_total counter\nusher_things_total 3\n',
    )
  })

  test('has those of the process when they are wanted', async () => {
    const { url } = await start(createMetrics({ ofProcess: true }))
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  })

  test('says so when a metric cannot be collected', async () => {
    const { registry, url } = await start()
    new Gauge({
      name: 'broken',
      help: 'Broken.',
      registers: [registry],
      collect: () => Promise.reject(new Error('no value')),
    })
    const answer = await fetch(`${url}/metrics`)
    expect(answer.status).toBe(500)
    expect(await answer.text()).toContain('no value')
  })
})

describe('the metrics server', () => {
  test.for([
    ['GET', '/'],
    ['GET', '/metrics/more'],
    ['POST', '/metrics'],
    ['GET', '/livez'],
  ] as const)('answers 404 to %s %s', async ([method, path]) => {
    const { url } = await start()
    const answer = await fetch(url + path, { method })
    expect(answer.status).toBe(404)
    expect(await answer.text()).toBe('Metrics are at GET /metrics.\n')
  })

  test('says which port is in use, and what to do', async () => {
    const { port } = await start()
    const again = startMetricsServer({
      registry: createMetrics({ ofProcess: false }),
      host: '127.0.0.1',
      port,
    })
    await expect(again).rejects.toThrow(StartError)
    await expect(again).rejects.toThrow(`port ${port} of 127.0.0.1`)
    await expect(again).rejects.toThrow('USHER_METRICS_PORT')
  })
})
