import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { StartError } from './start-error.ts'

export type { Registry }

/** A registry for the metrics of one process: nothing is global. With `ofProcess` it has those of Node itself,
 *  which observe for as long as the process lives. */
export function createMetrics({ ofProcess }: { ofProcess: boolean }): Registry {
  const registry = new Registry()
  if (ofProcess) collectDefaultMetrics({ register: registry })
  return registry
}

export interface MetricsServer {
  port: number
  close(): Promise<void>
}

/** Serves GET /metrics in the text format of Prometheus, and nothing else, on a port of its own, so that it need
 *  not be open to those who use the API. Throws a StartError when the port cannot be had. */
export async function startMetricsServer(options: {
  registry: Registry
  host: string
  port: number
}): Promise<MetricsServer> {
  const { registry, host, port } = options
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string) => {
      response
        .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
        .end(body)
    }
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      answer(404, 'text/plain', 'Metrics are at GET /metrics.\n')
      return
    }
    registry.metrics().then(
      text => answer(200, registry.contentType, text),
      (error: unknown) => answer(500, 'text/plain', `The metrics could not be collected: ${error}\n`),
    )
  })
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw new StartError(
      `The metrics cannot be served on port ${port} of ${host}: ${error instanceof Error ? error.message : error}. Set USHER_METRICS_PORT to another port, or leave it out.`,
    )
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
