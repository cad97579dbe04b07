import { type App, buildApp } from './app.ts'
import type { Config } from './config.ts'
import { declarePlatform } from './declare-platform.ts'
import {
  createEventWriters,
  eventJobs,
  findQueueStates,
  prepareLogs,
  writerConnections,
} from './events/index.ts'
import { migrate, openDatabase } from './foundation/database/index.ts'
import type { Logger } from './foundation/logging.ts'
import { openMail } from './foundation/mail/index.ts'
import { createMetrics, type Registry } from './foundation/metrics.ts'
import { openOutgoing } from './foundation/outgoing/index.ts'
import { openRateLimits } from './foundation/rate-limits/index.ts'
import { keepSecretKey, openSecrets } from './foundation/secrets/index.ts'
import { createHealth, queueSampleJobs } from './health/index.ts'
import { countFailed, countPending, createJobs, pruningJobs } from './jobs/index.ts'
import { canOpenSigningKeys, memberJobs, openMembers } from './members/index.ts'
import { oauthJobs, openOAuth, queueLogoutTokens } from './oauth/index.ts'
import { openSignIn, openSocial, signInJobs } from './sign-in/index.ts'
import { listTenants, openTenancy, recordAudit } from './tenancy/index.ts'

/** The platform, constructed and connected, but not started. */
export interface Platform {
  app: App
  registry: Registry
  /** Brings the database to this version and begins the background work. Throws when the database is
   *  away; call it again then. Answers lines that say what was declared. */
  start(): Promise<string[]>
  /** Answers what is in flight, writes what waits, and lets go of everything. */
  close(): Promise<void>
}

/** How long jobs that run may take to end when the process stops. */
const jobsStopMs = 10_000

/** Constructs everything and connects it. Nothing here needs the database to be there. */
export async function createPlatform(config: Config, databaseUrl: string, log: Logger): Promise<Platform> {
  const directUrl = config.databaseDirectUrl ?? databaseUrl
  const main = openDatabase({ url: databaseUrl, maxConnections: 10, applicationName: 'usher' })
  const writing = openDatabase({
    url: databaseUrl,
    maxConnections: 2 * writerConnections,
    statementTimeoutMs: 4_000,
    // Far below the former: a tail that another process holds is waited for again, and is no sign of a
    // database that is away.
    lockTimeoutMs: 1_000,
    applicationName: 'usher writer',
  })
  const { db } = main
  const registry = createMetrics({ ofProcess: config.metricsPort !== undefined })
  const tenancy = openTenancy({
    databaseUrl,
    directUrl,
    platformHost: config.publicUrl.hostname,
    onLost: error => log.warn({ err: error }, 'not told of changes to tenants until the database is back'),
  })
  const secrets = openSecrets(config.secretKeys ?? (await keepSecretKey(config.dataDir)))
  const rateLimits = openRateLimits({
    redis: config.redis,
    markKey: secrets.hmac('rate limits', 'key'),
    tell: {
      away: error =>
        log.warn(
          { err: error },
          'Redis cannot be reached: each process counts rate limits by itself until it is back',
        ),
      back: () => log.warn('Redis is back: rate limits are shared again'),
    },
  })
  const members = openMembers({
    db,
    databaseUrl,
    directUrl,
    secrets,
    publicUrl: config.publicUrl,
    cookieName: config.cookieName,
    isClientEnabled: async (tenantId, clientId) =>
      (await oauth.findClient(tenantId, clientId))?.enabled === true,
    onEnd: (trx, tenantId, ended) => queueLogoutTokens(trx, tenantId, ended, jobs.sendJob),
    onLost: error => log.warn({ err: error }, 'not told of sessions that end until the database is back'),
  })
  const oauth = openOAuth({ db, members, publicUrl: config.publicUrl })
  tenancy.onChange(oauth.invalidateClients)
  const { mailer, mailbox } = openMail(config.smtpUrl)
  const social = openSocial({
    db,
    secrets,
    allowLocal: !config.isProduction,
    onFault: (what, sentence) => log.warn(what, sentence),
  })
  tenancy.onChange(social.invalidate)
  const signInParts = { db, members, secrets, publicUrl: config.publicUrl, nowMs: Date.now }
  const writers = createEventWriters({
    connections: writing,
    db,
    registry,
    onFault: (queue, error) => log.warn({ err: error, queue }, 'events could not be written'),
  })
  const outgoing = openOutgoing({ allowLocal: !config.isProduction })
  const jobs = createJobs({
    databaseUrl: directUrl,
    queues: config.queues,
    log,
    definitions: [
      ...pruningJobs(db),
      ...memberJobs({
        db,
        secrets,
        listTenantIds: async () => (await listTenants(db)).map(({ id }) => id),
      }),
      ...oauthJobs({ db, members, outgoing, nowMs: Date.now }),
      ...signInJobs({ ...signInParts, mailer, mailFrom: config.mailFrom }),
      ...queueSampleJobs(db, findQueueStates),
      ...eventJobs({
        db,
        listRetentions: async () =>
          (await listTenants(db)).map(({ id, events }) => ({ tenantId: id, ...events })),
        auditExpiry: (trx, { tenantId, queue, ...details }) =>
          recordAudit(trx, {
            tenantId,
            actor: { kind: 'system', name: 'expire-events' },
            action: 'queue.expired',
            target: queue,
            details,
            at: new Date(),
          }),
      }),
    ],
  })
  const health = createHealth({
    databaseUrl,
    readQueueStates: findQueueStates,
    countPending: healthDb => countPending(healthDb, config.queues),
    countFailed: healthDb => countFailed(healthDb),
  })
  health.addMetrics(registry)
  const signIn = openSignIn({ ...signInParts, oauth, social, sendJob: jobs.sendJob })
  const app = await buildApp({
    config,
    log,
    registry,
    rateLimits,
    database: main,
    tenancy,
    oauth,
    members,
    signIn,
    mailbox,
    writers,
    health,
  })

  return {
    app,
    registry,
    async start() {
      await migrate(directUrl)
      await prepareLogs(db, new Date())
      if (!(await canOpenSigningKeys(db, secrets)))
        log.error(
          'USHER_SECRET_KEY does not open the signing keys in this database, so it is another than when they were made: this process signs nobody in, and shares no rate limit with processes that have the right one. Give all of them the same',
        )
      const declared = await declarePlatform(config, db, secrets)
      await jobs.start({ work: config.role !== 'http' })
      health.setStarted()
      return declared
    },
    async close() {
      health.setStopping()
      await app.close()
      await Promise.all([writers.events.close(), writers.heartbeats.close()])
      await jobs.stop(jobsStopMs)
      mailer.close()
      await tenancy.close()
      await members.close()
      await social.close()
      rateLimits.close()
      await outgoing.close()
      await Promise.all([health.close(), main.close(), writing.close()])
    },
  }
}
