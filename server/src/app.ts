import { EventRecord, IncomingEvent, queueNames } from '@usher/contract'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Config } from './config.ts'
import { liveCheckRoutes, silentSignInRoutes } from './doctor/index.ts'
import { collectRoutes, type EventWriters, queueRoutes } from './events/index.ts'
import type { OpenDatabase } from './foundation/database/index.ts'
import {
  addAnswerHeaders,
  addClientAddress,
  addDeletesWithoutBody,
  addErrorHandling,
  addHttpMetrics,
  addRequestRules,
  requestOptions,
} from './foundation/http/index.ts'
import type { Logger } from './foundation/logging.ts'
import type { Mailbox } from './foundation/mail/index.ts'
import type { Registry } from './foundation/metrics.ts'
import type { RateLimits } from './foundation/rate-limits/index.ts'
import { type Health, healthRoutes } from './health/index.ts'
import { type Members, memberRoutes, memberSessionsRoutes } from './members/index.ts'
import {
  authorizeRoutes,
  clientsRoutes,
  discoveryRoutes,
  logoutRoutes,
  type OAuth,
  sessionProbeRoutes,
  tokenRoutes,
  userInfoRoutes,
} from './oauth/index.ts'
import { describeApi } from './openapi/describe-api.ts'
import { openApiRoutes } from './openapi/openapi.routes.ts'
import { referenceRoutes } from './openapi/reference.routes.ts'
import { sdkScriptsRoutes } from './sdk/index.ts'
import {
  hostedPages,
  mailboxRoutes,
  type SignInParts,
  signInRoutes,
  socialProvidersRoutes,
} from './sign-in/index.ts'
import { addEdge, landlordRoutes, recordAudit, type Tenancy } from './tenancy/index.ts'

export type App = FastifyInstance

/** What the HTTP app stands on; made by wiring.ts. */
export interface AppParts {
  config: Config
  log: Logger
  registry: Registry
  rateLimits: RateLimits
  database: OpenDatabase
  tenancy: Tenancy
  oauth: OAuth
  members: Members
  signIn: SignInParts
  /** Where there is no mail server. */
  mailbox: Mailbox | undefined
  writers: EventWriters
  health: Health
}

/** Where a body has no limit of its own. */
const bodyLimitBytes = 64 * 1024
/** For a whole request, so that slow bodies end. */
const requestTimeoutMs = 30_000

/** Builds the HTTP app with all its routes. It does not listen. */
export async function buildApp(parts: AppParts): Promise<App> {
  const { config, log, registry, rateLimits, database, tenancy, oauth, members, signIn, mailbox } = parts
  const { writers, health } = parts
  const { db } = database
  const app: FastifyInstance = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // No child logger for a request: making one costs more than storing an event; errors name their request.
    childLoggerFactory: logger => logger,
    ...requestOptions(),
    exposeHeadRoutes: false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 75_000,
    // Requests in flight at the end are answered; the writer itself refuses what comes too late.
    return503OnClosing: false,
    ajv: { customOptions: { allErrors: true, verbose: true, coerceTypes: false, removeAdditional: false } },
  })
  // JSON only, but for the routes that say otherwise: Fastify's own parser of plain text would let it through.
  app.removeContentTypeParser('text/plain')
  addHttpMetrics(app, registry)
  addAnswerHeaders(app)
  addErrorHandling(app, { developmentUrl: config.isProduction ? undefined : config.publicUrl })
  addRequestRules(app)
  addClientAddress(app, config.trustedProxies)
  addDeletesWithoutBody(app)
  addEdge(app, { sites: tenancy.sites, keys: tenancy.keys, publicUrl: config.publicUrl })

  await describeApi(app, config.publicUrl)
  await app.register(openApiRoutes())
  await app.register(referenceRoutes())
  for (const schema of [IncomingEvent, EventRecord]) app.addSchema(schema)
  await app.register(healthRoutes(health))
  await app.register(landlordRoutes({ db }))
  await app.register(clientsRoutes({ db, onChange: oauth.invalidateClients }))
  await app.register(tokenRoutes(oauth.parts))
  await app.register(userInfoRoutes(oauth.parts))
  await app.register(discoveryRoutes(oauth.parts))
  await app.register(sessionProbeRoutes({ ...oauth.parts, rateLimits }))
  await app.register(authorizeRoutes({ ...oauth.parts, pages: hostedPages(signIn) }))
  await app.register(logoutRoutes({ ...oauth.parts, pages: hostedPages(signIn) }))
  await app.register(signInRoutes({ ...signIn, rateLimits }))
  await app.register(silentSignInRoutes(signIn))
  await app.register(liveCheckRoutes({ ...signIn, cookieName: config.cookieName }))
  await app.register(
    socialProvidersRoutes({
      db,
      secrets: signIn.secrets,
      publicUrl: config.publicUrl,
      reach: signIn.social.reach,
      onChange: signIn.social.invalidate,
    }),
  )
  if (mailbox) await app.register(mailboxRoutes(mailbox))
  await app.register(memberSessionsRoutes({ members, findClient: oauth.findClient, nowMs: Date.now }))
  await app.register(memberRoutes({ members, findClient: oauth.findClient, nowMs: Date.now }))
  await app.register(
    collectRoutes({
      writers,
      rateLimits,
      requestsPerMinute: config.collectPerMinute,
      findMemberId: async (tenant, token) =>
        (await members.verifyMemberToken({ tenant, token, kinds: ['device', 'access'], recent: true }))
          ?.memberId,
      nowMs: Date.now,
    }),
  )
  await app.register(sdkScriptsRoutes({ publicUrl: config.publicUrl, cookieName: config.cookieName }))
  for (const queue of queueNames)
    await app.register(
      queueRoutes({
        database,
        queue,
        auditRewind: (trx, by, details) =>
          recordAudit(trx, {
            tenantId: by.tenantId,
            actor: { kind: 'key', id: by.keyId, name: by.keyName },
            action: 'queue.rewound',
            target: queue,
            details: { ...details },
            address: by.address,
            at: new Date(),
          }),
      }),
    )
  return app
}
