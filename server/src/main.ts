import './foundation/heap-limits.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { type Config, readConfig } from './config.ts'
import { isDatabaseUnavailable } from './foundation/database/index.ts'
import { startEmbeddedPostgres } from './foundation/embedded-postgres/index.ts'
import { createLogger, type Logger } from './foundation/logging.ts'
import { startMetricsServer } from './foundation/metrics.ts'
import { sampled } from './foundation/sampled.ts'
import { StartError } from './foundation/start-error.ts'
import { createPlatform, type Platform } from './wiring.ts'

/** What has to be ended again, newest first. */
const ending: (() => Promise<void>)[] = []
let isEnding = false

async function end(exitCode: number): Promise<never> {
  isEnding = true
  for (const close of ending.reverse()) await close().catch(error => console.error(error))
  process.exit(exitCode)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Waits for a database that is away, as long as it takes. */
async function startWhenPossible(platform: Platform, config: Config, log: Logger): Promise<string[]> {
  const tellOfWaiting = sampled<unknown>((err, leftOut) => {
    log.warn({ err, leftOut }, 'waiting for the database')
  }, 60_000)
  for (let isFirst = true; !isEnding; isFirst = false) {
    try {
      return await platform.start()
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      if (isFirst) {
        // Without the user and the password.
        const { host, pathname } = URL.parse(config.databaseUrl ?? '') ?? {}
        console.error(
          `The database${host ? ` at ${host}${pathname}` : ''} cannot be reached: ${messageOf(error)}. Usher answers 503 and goes on when it comes.`,
        )
      } else tellOfWaiting(error)
      await delay(1_000)
    }
  }
  return []
}

async function listen({ app }: Platform, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE')
      throw new StartError(
        `Port ${port} of ${host} is in use. Stop the other program, or set USHER_PORT to another port.`,
      )
    if (code === 'EACCES')
      throw new StartError(
        `Port ${port} may not be opened by this user. Set USHER_PORT to a port above 1023.`,
      )
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`USHER_HOST names ${host}, which is not an address of this machine.`)
    throw error
  }
}

async function run(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLogger(config.isProduction)
  let { databaseUrl } = config
  if (databaseUrl === undefined) {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log: line => log.info(line) })
    ending.push(() => postgres.stop())
    databaseUrl = postgres.url
  }
  const platform = await createPlatform(config, databaseUrl, log)
  ending.push(() => platform.close())
  if (config.metricsPort !== undefined) {
    const { host, metricsPort: port } = config
    const metrics = await startMetricsServer({ registry: platform.registry, host, port })
    ending.push(() => metrics.close())
  }
  if (config.role !== 'worker') await listen(platform, config)
  const declared = await startWhenPossible(platform, config, log)
  console.log(`Usher answers at ${config.publicUrl.origin}`)
  for (const line of declared) console.log(line)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // A second signal: the user does not want to wait.
    if (isEnding) process.exit(1)
    void end(0)
  })

run().catch(async error => {
  if (error instanceof StartError) console.error(error.message)
  else console.error(error)
  await end(1)
})
