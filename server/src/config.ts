import { isAbsolute, resolve } from 'node:path'
import { findNear } from './foundation/find-near.ts'
import { parseTrustedProxies, type TrustedProxies } from './foundation/http/index.ts'
import { parseRedisUrl, type RedisAddress } from './foundation/redis/index.ts'
import { parseSecretKeys } from './foundation/secrets/index.ts'
import { StartError } from './foundation/start-error.ts'

export type Role = 'http' | 'worker' | 'all'

export interface Config {
  isProduction: boolean
  port: number
  host: string
  publicUrl: URL
  dataDir: string
  /** Undefined: the embedded database. */
  databaseUrl: string | undefined
  /** A direct connection, where the former is a pooler. */
  databaseDirectUrl: string | undefined
  /** Background queues, most urgent first. */
  queues: readonly string[]
  /** 32 bytes each, the newest first. Undefined: the one that is kept in the data folder. */
  secretKeys: readonly Buffer[] | undefined
  trustedProxies: TrustedProxies
  metricsPort: number | undefined
  role: Role
  /** Requests to collect that an address may make in a minute; 0 is no limit. */
  collectPerMinute: number
  /** Where rate limits are counted for several processes; undefined: in each by itself. */
  redis: RedisAddress | undefined
  /** Of the cookie that holds a member's session token. */
  cookieName: string
  /** The mail server; undefined: mails land in the mailbox page. */
  smtpUrl: string | undefined
  /** The sender of mails, `address` or `Name <address>`, where a tenant has none of its own. */
  mailFrom: string
  /** The platform file that is applied at start. */
  apply: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const defaultPort = 3000

/** Reads the configuration (decisions, "First start, and configuration"). Throws one StartError that
 *  lists every problem. */
export function readConfig(env: Environment): Config {
  const problems: string[] = []
  const settings = new Set<string>()
  const isProduction = env.NODE_ENV === 'production'

  /** Reads a variable, unset and empty being the same; notes what is wrong with it. */
  function read<T>(name: string, fallback: T, parse: (text: string) => T): T {
    settings.add(name)
    const text = env[name]
    if (text === undefined || text === '') return fallback
    try {
      return parse(text)
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`)
      return fallback
    }
  }
  function requiredInProduction<T>(name: string, value: T | undefined, meaning: string): T | undefined {
    if (isProduction && value === undefined && !env[name]) problems.push(`${name} is missing: ${meaning}`)
    return value
  }

  const port = read('USHER_PORT', defaultPort, asPort)
  const publicUrl = requiredInProduction(
    'USHER_PUBLIC_URL',
    read<URL | undefined>('USHER_PUBLIC_URL', undefined, asOrigin),
    "the platform's address, such as https://platform.example.com",
  )
  const databaseUrl = requiredInProduction(
    'USHER_DATABASE_URL',
    read<string | undefined>('USHER_DATABASE_URL', undefined, asDatabaseUrl),
    'PostgreSQL 15 or later, as postgres://user:password@host/database',
  )
  const secretKeys = requiredInProduction(
    'USHER_SECRET_KEY',
    read<Buffer[] | undefined>('USHER_SECRET_KEY', undefined, parseSecretKeys),
    '32 bytes in base64, as "openssl rand -base64 32" makes them',
  )
  const smtpUrl = requiredInProduction(
    'USHER_SMTP_URL',
    read<string | undefined>('USHER_SMTP_URL', undefined, asSmtpUrl),
    'the mail server, as smtps://user:password@host or smtp://host:587',
  )
  const mailFrom = requiredInProduction(
    'USHER_MAIL_FROM',
    read<string | undefined>('USHER_MAIL_FROM', undefined, asSender),
    'the sender of mails, such as Acme <hello@acme.example>',
  )
  const config: Config = {
    isProduction,
    port,
    host: read('USHER_HOST', isProduction ? '0.0.0.0' : '127.0.0.1', text => text),
    publicUrl: publicUrl ?? new URL(`http://platform.localhost:${port}`),
    dataDir: resolve(read('USHER_DATA_DIR', './data', text => text)),
    databaseUrl,
    databaseDirectUrl: read('USHER_DATABASE_DIRECT_URL', databaseUrl, asDatabaseUrl),
    queues: read('USHER_QUEUES', ['high', 'default', 'bulk'], asQueues),
    secretKeys,
    trustedProxies: read<TrustedProxies>('USHER_TRUST_PROXY', [], asProxies),
    metricsPort: read<number | undefined>('USHER_METRICS_PORT', undefined, asPort),
    role: read<Role>('USHER_ROLE', 'all', asRole),
    collectPerMinute: read('USHER_COLLECT_PER_MINUTE', 6_000, asCount),
    redis: read<RedisAddress | undefined>('USHER_REDIS_URL', undefined, parseRedisUrl),
    cookieName: read('USHER_COOKIE_NAME', '_SERVICET', asCookieName),
    smtpUrl,
    mailFrom: mailFrom ?? 'Usher <no-reply@platform.localhost>',
    apply: read<string | undefined>('USHER_APPLY', undefined, text =>
      isAbsolute(text) ? text : resolve(text),
    ),
  }
  read('USHER_EVENTQUEUE_STORE_CONNECTION', 'default', asStoreConnection)
  problems.push(...findMisspelt(env, settings))
  if (problems.length > 0) throw new StartError(`Configuration: ${problems.join('; ')}`)
  return config
}

/** What is named nearly as a setting is one that somebody meant. Any other name is left alone: Kubernetes sets
 *  variables such as USHER_SERVICE_HOST beside a service of that name, and our other programs have theirs. */
function findMisspelt(env: Environment, settings: ReadonlySet<string>): string[] {
  return Object.keys(env).flatMap(name => {
    if (!/^usher_/i.test(name) || settings.has(name)) return []
    const known = [...settings]
    const [meant] = [...findNear(name, known), ...known.filter(setting => setting.startsWith(name))]
    return meant === undefined ? [] : [`${name} is no setting: is ${meant} meant?`]
  })
}

function asPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new Error(`must be a port from 0 to 65535, not "${text}"`)
  return Number(text)
}

function asCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`must be an integer from 0, not "${text}"`)
  return Number(text)
}

function asCookieName(text: string): string {
  if (!/^[\w.-]{1,64}$/.test(text))
    throw new Error(`must be 1 to 64 letters, digits, ".", "_" and "-", not "${text}"`)
  // Browsers refuse such a cookie with the Domain that silent sign-in needs (RFC 6265bis 4.1.3.2).
  if (/^__host-/i.test(text))
    throw new Error('must not begin with __Host-, as the cookie is set with a Domain')
  return text
}

function asOrigin(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`must be an http or https URL, not "${text}"`)
  if (url.pathname !== '/' || url.search || url.hash || url.username)
    throw new Error(`must have no path, query or user, as in ${url.origin}`)
  return url
}

function asDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new Error('must begin with postgres://')
  return text
}

function asSmtpUrl(text: string): string {
  // Not quoted: it may hold a password.
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) throw new Error('must be an smtp:// or smtps:// URL')
  return text
}

function asSender(text: string): string {
  if (!/^(?:[^<>",;:@\p{Cc}]{1,100} <[^<>\s@,;]+@[^<>\s@,;]+>|[^<>\s@,;]+@[^<>\s@,;]+)$/u.test(text))
    throw new Error(`must be a mail address, or Name <address>, not "${text}"`)
  return text
}

function asQueues(text: string): string[] {
  const names = text.split(',').map(name => name.trim())
  const wrong = names.find(name => !/^[a-z][a-z0-9_-]{0,39}$/.test(name))
  if (wrong !== undefined) throw new Error(`must be names separated by commas, and "${wrong}" is none`)
  if (new Set(names).size < names.length) throw new Error('names a queue twice')
  return names
}

function asProxies(text: string): TrustedProxies {
  const parts = text.split(',').map(part => part.trim())
  return parts.flatMap(part => {
    try {
      return parseTrustedProxies([part])
    } catch {
      throw new Error(`must be addresses or CIDRs separated by commas, and "${part}" is neither`)
    }
  })
}

function asRole(text: string): Role {
  if (text !== 'http' && text !== 'worker' && text !== 'all')
    throw new Error(`must be http, worker or all, not "${text}"`)
  return text
}

function asStoreConnection(text: string): string {
  if (text !== 'default')
    throw new Error(`names the connection "${text}", and there is only "default", the database`)
  return text
}
