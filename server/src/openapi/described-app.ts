import type { FastifyInstance } from 'fastify'
import { type AppParts, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { createLogger } from '../foundation/logging.ts'
import { createMetrics } from '../foundation/metrics.ts'
import { openRateLimits } from '../foundation/rate-limits/index.ts'

/** What routes are given and do not touch before a request comes: it can be passed on, not used. */
function absent(name: string): object {
  return new Proxy(() => undefined, {
    // It is no promise either.
    get: (_target, key) => (key === 'then' ? undefined : absent(`${name}.${String(key)}`)),
    apply() {
      throw new Error(`The API is described without anything behind it, and building the app called ${name}.`)
    },
  })
}

/** The app as a start without any configuration has it, with its routes and nothing behind them: no
 *  database, no listening. It is ready, to be asked what it looks like. */
export async function buildDescribedApp(): Promise<FastifyInstance> {
  const present: Partial<AppParts> = {
    config: readConfig({}),
    log: createLogger(true),
    registry: createMetrics({ ofProcess: false }),
    // In memory, and never counted.
    rateLimits: openRateLimits({ markKey: Buffer.alloc(0), tell: { away() {}, back() {} } }),
  }
  const parts = new Proxy(present, {
    get: (target, key) => Reflect.get(target, key) ?? absent(String(key)),
  })
  const app = await buildApp(parts as AppParts)
  await app.ready()
  return app
}
