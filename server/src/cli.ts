import { userInfo } from 'node:os'
import { type Config, readConfig } from './config.ts'
import { doctorUsage, readDoctorCommand } from './doctor/index.ts'
import { type Database, isDatabaseUnavailable, migrate, openDatabase } from './foundation/database/index.ts'
import {
  findRunningPostgres,
  hasDatabase,
  startEmbeddedPostgres,
} from './foundation/embedded-postgres/index.ts'
import { keepSecretKey, openSecrets } from './foundation/secrets/index.ts'
import { StartError } from './foundation/start-error.ts'
import { jobsCommand } from './jobs/index.ts'
import { membersUsage, readMembersCommand } from './members/index.ts'
import { platformJsonSchema, readTenancyCommand, tenancyUsage } from './tenancy/index.ts'
import { tenantHooks } from './tenant-hooks.ts'

const USAGE = `Usage: usher <command>

${tenancyUsage}
${membersUsage}
${doctorUsage}
usher jobs                          lists failed background jobs, and lets them run again
usher schema                        prints the JSON Schema of the platform file
usher help                          prints this

The database is that of USHER_DATABASE_URL, else the one in USHER_DATA_DIR (./data), also while Usher runs.`

const print = (line: string) => console.log(line)
const complain = (line: string) => console.error(line)

/** Throws where a command that makes no platform has none to look at: it would make an empty database and miss
 *  everything in it. */
async function refuseEmptyFolder({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== undefined || (await hasDatabase(dataDir))) return
  throw new StartError(
    `There is no database in the data folder ${dataDir}. Set USHER_DATA_DIR to the folder of your Usher, or USHER_DATABASE_URL to its server; “npm start” and “usher apply” make a new one.`,
  )
}

/** The configuration, for a command on a platform that is there. Throws a StartError where none is. */
async function configOfPlatform(): Promise<Config> {
  const config = readConfig(process.env)
  await refuseEmptyFolder(config)
  return config
}

/** Runs a command on the configured database: a server's, the one of an Usher that runs on the data folder,
 *  or the embedded one, started for as long as the command takes. */
async function withDatabase(config: Config, run: (db: Database) => Promise<number>): Promise<number> {
  const running = config.databaseUrl ?? (await findRunningPostgres(config.dataDir))
  if (running === undefined) {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir })
    try {
      return await onDatabase(postgres.url, postgres.url, run)
    } finally {
      await postgres.stop()
    }
  }
  return onDatabase(running, config.databaseDirectUrl ?? running, run)
}

async function onDatabase(
  url: string,
  directUrl: string,
  run: (db: Database) => Promise<number>,
): Promise<number> {
  await migrate(directUrl)
  const { db, close } = openDatabase({ url, maxConnections: 2, applicationName: 'usher command' })
  try {
    return await run(db)
  } finally {
    await close()
  }
}

/** Who runs the command, for the audit trail; not every process has a user with a name. */
function operatingSystemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}

/** The secret keys of the platform that the configuration names. */
const secretsOf = async (config: Config) =>
  openSecrets(config.secretKeys ?? (await keepSecretKey(config.dataDir)))

/** What a command line asks for; a sentence where a value of it is wrong, undefined when it cannot be understood. */
function readCommand(args: readonly string[]): (() => number | Promise<number>) | string | undefined {
  const [command, ...rest] = args
  if (command === 'help' || command === '-h' || args.includes('--help')) {
    return () => {
      print(USAGE)
      return 0
    }
  }
  if (command === 'schema' && rest.length === 0) {
    return () => {
      print(JSON.stringify(platformJsonSchema(), undefined, 2))
      return 0
    }
  }
  if (command === 'jobs')
    return async () =>
      withDatabase(await configOfPlatform(), db => jobsCommand(rest, { db, print, complain }))
  const actor = { kind: 'system', name: `usher ${command}, run by ${operatingSystemUser()}` } as const
  const around = { actor, now: new Date(), print, complain }
  const ofMembers = readMembersCommand(args)
  if (ofMembers)
    return async () => {
      const config = await configOfPlatform()
      const secrets = await secretsOf(config)
      return withDatabase(config, db => ofMembers({ db, secrets, ...around }))
    }
  const ofDoctor = readDoctorCommand(args)
  if (typeof ofDoctor === 'string') return ofDoctor
  if (ofDoctor)
    return async () => {
      const config = await configOfPlatform()
      const secrets = await secretsOf(config)
      const { publicUrl } = config
      return withDatabase(config, db => ofDoctor({ db, secrets, publicUrl, ...around }))
    }
  const run = readTenancyCommand(args)
  if (!run) return undefined
  return async () => {
    const config = command === 'apply' ? readConfig(process.env) : await configOfPlatform()
    const platform = {
      hooks: tenantHooks({
        secrets: () => secretsOf(config),
        publicUrl: config.publicUrl,
        allowLocal: !config.isProduction,
      }),
      platformHost: config.publicUrl.hostname,
      env: process.env,
    }
    return withDatabase(config, db => run({ db, ...platform, ...around }))
  }
}

async function main(args: readonly string[]): Promise<number> {
  const run = readCommand(args)
  if (typeof run === 'string') {
    complain(run)
    return 2
  }
  if (!run) {
    if (args.length > 0) complain(`usher ${args.join(' ')} cannot be understood.\n`)
    complain(USAGE)
    return 2
  }
  try {
    return await run()
  } catch (error) {
    if (error instanceof StartError) complain(error.message)
    else if (isDatabaseUnavailable(error))
      complain(`The database cannot be reached: ${error instanceof Error ? error.message : String(error)}`)
    else throw error
    return 1
  }
}

process.exitCode = await main(process.argv.slice(2))
