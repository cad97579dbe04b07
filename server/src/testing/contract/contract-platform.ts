import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { uuidv7 } from '../../foundation/uuid.ts'
import { listTenants } from '../../tenancy/index.ts'
import type { TestDatabase } from '../database.ts'
import { issueTestAccessToken, openTestMembers, signInTestMember, type TestSignIn } from '../members.ts'
import { TEST_PLATFORM_HOST } from '../platform.ts'
import { createWholePlatform, type WholePlatformOptions } from '../whole-platform.ts'
import { documentCheck } from './document-check.ts'
import { declareKeys, keys } from './keys.ts'
import { canaries, captureLog } from './log-lines.ts'
import {
  addressOf,
  bodyOf,
  changingClientId,
  contractClient,
  type ExpectedOperation,
  exampleEvent,
  liveProviders,
  liveSession,
  operationOf,
} from './operations.ts'
import { watchChanges } from './watch-changes.ts'

export interface SendOptions {
  host: string
  /** The whole Authorization header. */
  authorization?: string | undefined
  /** Others than those of the operation's own good request. */
  method?: 'HEAD'
  path?: string
  /** `null` is none. */
  query?: string | null
  payload?: InjectOptions['payload']
  headers?: Record<string, string>
}

export interface ContractPlatform {
  app: FastifyInstance
  database: TestDatabase
  /** Tokens that the platform itself made. */
  made: { acmeMade: string; platformMade: string }
  tenantIds: { acme: string; globe: string }
  /** Ids of what was recorded, by tenant and queue, oldest first. */
  recorded: Record<'acme' | 'globe', Record<'events' | 'heartbeats', string[]>>
  /** Sends the good request of an operation, or a variation of it. Throws when the answer is none that the
   *  OpenAPI document describes, or that may be given at all: 500, without a request id, with words of the inside. */
  send(name: string, options: SendOptions): Promise<LightMyRequestResponse>
  /** Signs somebody in at a tenant, without that being among the changes, and gives the token that opens operations. */
  signIn(slug: string, member?: ExpectedOperation['member']): Promise<TestSignIn>
  /** Adds the providers of `liveProviders`, without a change being noticed. */
  putProviders(slug: string): Promise<void>
  /** The rows that were changed since this was last asked, as `UPDATE queue_heads`. */
  changes(): Promise<string[]>
  /** Puts the queues back to where each has removed one of five, and forgets the changes until then. */
  reset(): Promise<void>
  /** Log lines with something secret in them. */
  linesWithSecrets(): string[]
  lines: readonly string[]
  close(): Promise<void>
}

/** What only the inside of the program knows: the frame of a stack, a file, a package, a statement's error. */
const INTERNAL = /\bat .+:\d+:\d+|\.ts\b|node_modules|node:|FST_|SQLSTATE|syntax error|relation "/

/** What is wrong with an answer that anybody could get at any time; empty when nothing is. */
function faultsOf({ statusCode, headers, body }: LightMyRequestResponse): string[] {
  const faults: string[] = []
  if (statusCode === 500) faults.push('is 500')
  if (!headers['x-request-id']) faults.push('has no x-request-id')
  // Scripts and descriptions are of files of their own.
  if (statusCode >= 400 && INTERNAL.test(body)) faults.push('tells of the inside')
  return faults
}

/** Whose tenant a request is for: the one of its host, or at the platform's of its key. */
const isForGlobe = (host: string, authorization: string | undefined): boolean =>
  /globe/i.test(host) || (host === TEST_PLATFORM_HOST && /globe/.test(authorization ?? ''))

/** The whole platform with tenants and keys of every kind, five events and heartbeats each in the queues of
 *  acme and globe, of which one was removed. */
export async function createContractPlatform(
  env: Record<string, string> = {},
  options: WholePlatformOptions = {},
): Promise<ContractPlatform> {
  const capture = captureLog()
  const platform = await createWholePlatform(env, { log: capture.log, ...options })
  const { app, database } = platform
  const { db } = database
  const made = await declareKeys(db)
  const idOf = new Map((await listTenants(db)).map(({ slug, id }) => [slug, id]))
  await app.ready()
  const documentFaults = documentCheck(app)
  const secrets = new Set([...Object.values(keys), ...Object.values(made), contractClient.client_secret])

  const members = openTestMembers(database, {
    publicUrl: new URL(env.USHER_PUBLIC_URL ?? `http://${TEST_PLATFORM_HOST}`),
  })
  const signIn: ContractPlatform['signIn'] = (slug, member) =>
    db.transaction().execute(async trx => {
      await sql`set local session_replication_role = replica`.execute(trx)
      const signedIn = await signInTestMember(members, { db: trx }, { slug })
      if (member !== 'openid') return signedIn
      // Of another client than those which show their secrets, so that nothing is known of that beforehand.
      const options = { clientId: changingClientId, scope: member }
      const { token } = await issueTestAccessToken(members, { db: trx }, signedIn, options)
      return { ...signedIn, token }
    })
  const putProviders = (slug: string): Promise<void> =>
    db.transaction().execute(async trx => {
      await sql`set local session_replication_role = replica`.execute(trx)
      await sql`insert into social_providers (tenant_id, id, kind, name, issuer, client_id, sealed_secret, enabled,
          created_at, updated_at, secret_changed_at)
        select ${idOf.get(slug)}, id, 'oidc', 'Contract', 'http://127.0.0.1:9/', 'usher', '', false, now(), now(), now()
        from unnest(${Object.values(liveProviders)}::text[]) id
        on conflict do nothing`.execute(trx)
    })
  // Makes the keys, too, that sign its tokens.
  for (const slug of ['acme', 'globe']) await signIn(slug)

  const send: ContractPlatform['send'] = async (
    name,
    { host, authorization, method, path, query, payload, headers },
  ) => {
    const { method: ownMethod, path: ownPath } = addressOf(name)
    const good = operationOf(name)
    const own = payload === undefined ? bodyOf(name) : { payload, headers: {} }
    const ownQuery = query === undefined ? good.query : (query ?? undefined)
    const isOfMember = good.member && authorization === undefined
    const slug = isForGlobe(host, authorization) ? 'globe' : 'acme'
    if (ownPath.includes('/social-providers/')) await putProviders(slug)
    const session = isOfMember || ownPath.includes(liveSession) ? await signIn(slug, good.member) : undefined
    const credential = isOfMember ? `Bearer ${session?.token}` : authorization
    const answer = await app.inject({
      method: method ?? ownMethod,
      url:
        (path ?? ownPath.replace(liveSession, session?.sessionId ?? '')) +
        (ownQuery === undefined ? '' : `?${ownQuery}`),
      ...(own.payload !== undefined && { payload: own.payload }),
      headers: {
        host,
        cookie: `_SERVICET=${canaries.cookie}`,
        ...(credential !== undefined && { authorization: credential }),
        ...own.headers,
        ...good.headers,
        ...headers,
      },
    })
    const faults = [
      ...faultsOf(answer),
      ...(path === undefined && method === undefined ? documentFaults(name, answer) : []),
    ]
    if (faults.length > 0)
      throw new Error(
        `The answer to ${name} at ${host}: ${faults.join('; ')}. ` +
          `${answer.statusCode} ${answer.body.slice(0, 500)} ${capture.lines.at(-1) ?? ''}`,
      )
    return answer
  }

  async function record(tenant: 'acme' | 'globe', type: 'page_view' | 'heartbeat'): Promise<string[]> {
    const events = Array.from({ length: 5 }, (_, at) => {
      const { properties: _properties, ...event } = exampleEvent
      return { ...event, id: uuidv7(), type, event_sequence: at, session_id: `session-of-${tenant}` }
    })
    const answer = await send('POST /api/sdk/events', {
      host: `members.${tenant}.example`,
      payload: { events },
    })
    if (answer.json().accepted !== 5) throw new Error(`Not recorded: ${answer.body}`)
    return events.map(({ id }) => id)
  }
  const recordBoth = async (tenant: 'acme' | 'globe') => ({
    events: await record(tenant, 'page_view'),
    heartbeats: await record(tenant, 'heartbeat'),
  })
  const changes = await watchChanges(db)
  async function reset(): Promise<void> {
    await sql`update queue_heads h set position = least(1, t.position) from queue_tails t
      where t.tenant_id = h.tenant_id and t.queue = h.queue`.execute(db)
    await sql`delete from queue_removals`.execute(db)
    await changes()
  }
  const recorded = { acme: await recordBoth('acme'), globe: await recordBoth('globe') }
  // Their first keys are made when they are first asked for.
  for (const tenant of ['acme', 'globe'])
    await send('GET /.well-known/jwks.json', { host: `members.${tenant}.example` })
  await reset()

  return {
    app,
    database,
    made,
    tenantIds: { acme: idOf.get('acme') ?? '', globe: idOf.get('globe') ?? '' },
    recorded,
    send,
    signIn,
    putProviders,
    changes,
    reset,
    linesWithSecrets: () => capture.linesWithSecrets(secrets),
    lines: capture.lines,
    async close() {
      await members.close()
      await platform.close()
    },
  }
}
