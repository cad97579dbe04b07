import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'

describe('the configuration (decisions, "First start, and configuration")', () => {
  test('has a default for everything in development', () => {
    const config = readConfig({})
    expect(config).toEqual({
      isProduction: false,
      port: 3000,
      host: '127.0.0.1',
      publicUrl: new URL('http://platform.localhost:3000'),
      dataDir: resolve('data'),
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      queues: ['high', 'default', 'bulk'],
      secretKeys: undefined,
      trustedProxies: [],
      metricsPort: undefined,
      role: 'all',
      collectPerMinute: 6_000,
      redis: undefined,
      cookieName: '_SERVICET',
      smtpUrl: undefined,
      mailFrom: 'Usher <no-reply@platform.localhost>',
      apply: undefined,
    })
  })

  test('makes nothing up in production, and names every variable that is missing', () => {
    expect(() => readConfig({ NODE_ENV: 'production' })).toThrow(
      /^Configuration: USHER_PUBLIC_URL is missing: .*; USHER_DATABASE_URL is missing: .*; USHER_SECRET_KEY is missing: .*; USHER_SMTP_URL is missing: .*; USHER_MAIL_FROM is missing: /,
    )
  })

  test.for([
    ['USHER_PUBLIC_ULR', 'USHER_PUBLIC_URL'],
    ['USHER_TRUSTED_PROXY', 'USHER_TRUST_PROXY'],
    ['USHER_QUEUE', 'USHER_QUEUES'],
    ['usher_port', 'USHER_PORT'],
    ['USHER_SECRET_KEYS', 'USHER_SECRET_KEY'],
    ['USHER_DATABASE', 'USHER_DATABASE_URL'],
  ] as const)('does not pass over %s', ([name, meant]) => {
    expect(() => readConfig({ [name]: 'x', USHER_ROLE: 'boss' })).toThrow(
      `USHER_ROLE must be http, worker or all, not "boss"; ${name} is no setting: is ${meant} meant?`,
    )
  })

  test('leaves alone what is of other programs', () => {
    const names = [
      'URL',
      'KEY',
      'TENANT_URL',
      'SERVICE_HOST',
      'SERVICE_PORT',
      'PORT_3000_TCP',
      'PORT_3000_TCP_ADDR',
    ]
    expect(readConfig(Object.fromEntries(names.map(name => [`USHER_${name}`, 'x'])))).toEqual(readConfig({}))
  })

  test('reads every variable', () => {
    const config = readConfig({
      NODE_ENV: 'production',
      USHER_PORT: '80',
      USHER_PUBLIC_URL: 'https://platform.example.com',
      USHER_DATABASE_URL: 'postgres://pooler/usher',
      USHER_DATABASE_DIRECT_URL: 'postgresql://direct/usher',
      USHER_DATA_DIR: '/srv/usher',
      USHER_QUEUES: 'urgent, later',
      USHER_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
      USHER_TRUST_PROXY: '10.0.0.0/8, ::1',
      USHER_METRICS_PORT: '9100',
      USHER_ROLE: 'worker',
      USHER_COLLECT_PER_MINUTE: '0',
      USHER_REDIS_URL: 'rediss://:se%2Fcret@redis.example.com/2',
      USHER_COOKIE_NAME: '_acme.session-1',
      USHER_SMTP_URL: 'smtps://user:secret@mail.example.com',
      USHER_MAIL_FROM: 'Acme Daily <hello@acme.example>',
      USHER_APPLY: 'platform.yaml',
      USHER_EVENTQUEUE_STORE_CONNECTION: 'default',
    })
    expect(config).toMatchObject({
      isProduction: true,
      port: 80,
      host: '0.0.0.0',
      databaseUrl: 'postgres://pooler/usher',
      databaseDirectUrl: 'postgresql://direct/usher',
      dataDir: '/srv/usher',
      queues: ['urgent', 'later'],
      secretKeys: [Buffer.alloc(32, 1)],
      metricsPort: 9100,
      role: 'worker',
      collectPerMinute: 0,
      redis: {
        kind: 'single',
        nodes: [{ host: 'redis.example.com', port: 6379 }],
        tls: true,
        username: undefined,
        password: 'se/cret',
        database: 2,
      },
      cookieName: '_acme.session-1',
      smtpUrl: 'smtps://user:secret@mail.example.com',
      mailFrom: 'Acme Daily <hello@acme.example>',
      apply: resolve('platform.yaml'),
    })
    expect(config.publicUrl.origin).toBe('https://platform.example.com')
    expect(config.trustedProxies).toHaveLength(2)
  })

  test.for([
    [{ USHER_PORT: 'x' }, 'USHER_PORT must be a port from 0 to 65535, not "x"'],
    [{ USHER_PORT: '70000' }, 'USHER_PORT must be a port from 0 to 65535, not "70000"'],
    [{ USHER_PUBLIC_URL: 'platform' }, 'USHER_PUBLIC_URL must be an http or https URL, not "platform"'],
    [
      { USHER_PUBLIC_URL: 'https://a.example/x' },
      'USHER_PUBLIC_URL must have no path, query or user, as in https://a.example',
    ],
    [{ USHER_DATABASE_URL: 'mysql://x' }, 'USHER_DATABASE_URL must begin with postgres://'],
    [{ USHER_QUEUES: 'a,,b' }, 'USHER_QUEUES must be names separated by commas, and "" is none'],
    [{ USHER_QUEUES: 'a,a' }, 'USHER_QUEUES names a queue twice'],
    [
      { USHER_TRUST_PROXY: '10.0.0.0/40' },
      'USHER_TRUST_PROXY must be addresses or CIDRs separated by commas, and "10.0.0.0/40" is neither',
    ],
    [{ USHER_SMTP_URL: 'mail.example.com' }, 'USHER_SMTP_URL must be an smtp:// or smtps:// URL'],
    [
      { USHER_MAIL_FROM: 'a@acme.example\r\nBcc: b@acme.example' },
      'USHER_MAIL_FROM must be a mail address, or Name <address>',
    ],
    [{ USHER_SECRET_KEY: 'short' }, 'USHER_SECRET_KEY must be 32 bytes in base64'],
    [{ USHER_ROLE: 'web' }, 'USHER_ROLE must be http, worker or all, not "web"'],
    [{ USHER_COLLECT_PER_MINUTE: '-1' }, 'USHER_COLLECT_PER_MINUTE must be an integer from 0, not "-1"'],
    [{ USHER_REDIS_URL: 'http://redis.example.com' }, 'USHER_REDIS_URL must be redis://host:6379, '],
    [
      { USHER_COOKIE_NAME: 'a=b' },
      'USHER_COOKIE_NAME must be 1 to 64 letters, digits, ".", "_" and "-", not "a=b"',
    ],
    [
      { USHER_COOKIE_NAME: '__Host-session' },
      'USHER_COOKIE_NAME must not begin with __Host-, as the cookie is set with a Domain',
    ],
    [
      { USHER_EVENTQUEUE_STORE_CONNECTION: 'redis' },
      'USHER_EVENTQUEUE_STORE_CONNECTION names the connection "redis", and there is only "default", the database',
    ],
  ] as const)('refuses %j', ([env, problem]) => {
    expect(() => readConfig(env)).toThrow(`Configuration: ${problem}`)
  })

  test('lists every problem at once', () => {
    expect(() => readConfig({ USHER_PORT: 'x', USHER_ROLE: 'y' })).toThrow(/USHER_PORT .*; USHER_ROLE /)
  })
})
