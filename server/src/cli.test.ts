import { execFile } from 'node:child_process'
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './testing/database.ts'

const CLI = join(import.meta.dirname, 'cli.ts')
let database: TestDatabase
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'usher-cli-'))
  await writeFile(join(folder, 'platform.yaml'), FILE)
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await database.drop()
})

interface Ran {
  code: number
  out: string
  err: string
}

/** Runs `usher` as a process of its own. */
function usher(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const own = { USHER_DATABASE_URL: database.url, USHER_DATA_DIR: join(folder, 'data'), ...env }
  return new Promise(resolve =>
    execFile(
      process.execPath,
      [CLI, ...args],
      { cwd: folder, env: { ...process.env, ...own } },
      (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    ),
  )
}

const FILE = `operators: [ops@example.com]
platform_keys: [{ name: monitor, token: "\${MONITOR}" }]
tenants:
  - slug: acme
    name: Acme
    domain: acme.localhost
    flags: [UseQueueEvents]
    staff: [{ email: a@acme.example, role: administrator }]
    keys: [{ name: consumer }]
`
const MONITOR = 'monitor-token-of-32-characters-or-more'

describe('usher', () => {
  test.for([['help'], ['apply', '--help']])('%s tells the commands', async args => {
    const { code, out } = await usher(args, { USHER_DATABASE_URL: 'nonsense' })
    expect(code).toBe(0)
    for (const command of [
      'apply <file>',
      'suspend',
      'resume',
      'keys revoke',
      'audit',
      'rotate-keys',
      'doctor silent',
      'jobs',
      'schema',
    ])
      expect(out).toContain(`usher ${command}`)
  })

  test.for([[], ['nonsense'], ['apply'], ['rotate-keys'], ['rotate-keys', 'acme'], ['doctor', 'silent']])(
    'that is not understood tells them too, and fails: %j',
    async args => {
      const { code, out, err } = await usher(args)
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain('Usage: usher <command>')
    },
  )

  test('schema prints the JSON Schema of the platform file', async () => {
    const { code, out } = await usher(['schema'])
    expect(code).toBe(0)
    const committed = await readFile(new URL('../../schema/platform.schema.json', import.meta.url), 'utf8')
    expect(JSON.parse(out)).toEqual(JSON.parse(committed))
  })

  test('says in one line what is wrong with its configuration or its database', async () => {
    const wrong = await usher(['apply', 'platform.yaml'], { USHER_PORT: 'x' })
    expect(wrong).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^Configuration: USHER_PORT .+\n$/),
    })
    const away = await usher(['apply', 'platform.yaml'], { USHER_DATABASE_URL: 'postgres://127.0.0.1:1/x' })
    expect(away).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^The database cannot be reached: .+\n$/),
    })
  })

  test('apply refuses a file with its lines', async () => {
    expect(await usher(['apply', 'platform.yaml'])).toEqual({
      code: 1,
      out: '',
      err: 'platform.yaml:2: platform_keys[0].token needs the environment variable MONITOR, which is not set\n',
    })
  })

  test('apply makes tenants with their queues, and says who did it', async () => {
    const { code, out } = await usher(['apply', 'platform.yaml'], { MONITOR })
    expect(code).toBe(0)
    expect(out).toContain('tenant acme: made, at acme.localhost')
    // The queues of the tenant are there, and the flag has taken hold.
    const { rows } = await database.pool.query('select queue, active from queue_tails order by queue')
    expect(rows).toEqual([
      { queue: 'events', active: true },
      { queue: 'heartbeats', active: true },
    ])
    expect((await usher(['audit', 'acme'])).out).toMatch(
      / {2}usher apply, run by \S.* {2}tenant\.created {2}acme /,
    )
  })

  test('rotate-keys makes the key of tomorrow, once, with the secret key of the platform', async () => {
    const env = { USHER_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') }
    expect(await usher(['rotate-keys', '--tenant', 'nobody'], env)).toEqual({
      code: 1,
      out: '',
      err: 'There is no tenant with the slug nobody.\n',
    })
    const first = await usher(['rotate-keys', '--tenant', 'acme'], env)
    expect(first).toEqual({
      code: 0,
      out: expect.stringMatching(/^key [\w-]{43} {2}signs from \S+Z\n$/),
      err: '',
    })
    const second = await usher(['rotate-keys', '--tenant', 'acme'], env)
    expect(second.out).toMatch(
      /^key [\w-]{43} {2}signs from \S+Z until (\S+Z)\nkey [\w-]{43} {2}will sign from \1\n$/,
    )
    expect((await usher(['rotate-keys', '--tenant', 'acme'], env)).out).toBe(second.out)
    expect((await usher(['audit', 'acme'])).out).toMatch(
      / {2}usher rotate-keys, run by \S.* {2}signing_key\.made /,
    )
  })

  test('rotate-keys does nothing with another secret key than the platform has', async () => {
    await database.pool.query(`update signing_keys set signs_until = null where signs_until is not null`)
    const env = { USHER_SECRET_KEY: Buffer.alloc(32, 2).toString('base64') }
    expect(await usher(['rotate-keys', '--tenant', 'acme'], env)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^A secret was sealed with a key that USHER_SECRET_KEY does not hold.*\n$/),
    })
  })

  describe('doctor silent', () => {
    const asked = (site: string) => [
      'doctor',
      'silent',
      ...['--tenant', 'acme', '--client', 'nobody', '--site', site],
    ]

    test('looks at the tenant of this platform: exit code 1, as it does not work', async () => {
      const { code, out, err } = await usher(asked('http://news.acme.localhost'))
      expect([code, err]).toEqual([1, ''])
      expect(out).toMatch(
        /^Client nobody on http:\/\/news\.acme\.localhost, which asks http:\/\/acme\.localhost:3000\n/,
      )
      expect(out).toContain('Tenant acme has no client nobody. (client_unknown)')
      expect(out).toMatch(/\nhttp:\/\/acme\.localhost:3000\/silent-sign-in\/check\?ticket=[\w-]+\n$/)
    })

    test('says what is wrong with a value, and nothing else: exit code 2', async () => {
      expect(await usher(asked('news.acme.localhost'))).toEqual({
        code: 2,
        out: '',
        err: '--site must be an address with http or https: is http://news.acme.localhost meant?\n',
      })
    })
  })

  test.for([
    ['doctor', 'silent', '--tenant', 'acme', '--client', 'nobody', '--site', 'http://news.acme.localhost'],
    ['keys'],
    ['audit', 'acme'],
    ['suspend', 'acme'],
    ['rotate-keys', '--tenant', 'acme'],
    ['jobs'],
  ])('makes no database in a folder that has none: %j', async args => {
    const nowhere = join(folder, 'nowhere')
    for (const dataDir of [nowhere, join(folder, 'platform.yaml')]) {
      const { code, out, err } = await usher(args, { USHER_DATABASE_URL: '', USHER_DATA_DIR: dataDir })
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(/^There is no database in the data folder .+\. Set USHER_DATA_DIR to .+\n$/)
      expect(err).toContain(dataDir)
    }
    await expect(access(nowhere)).rejects.toThrow('ENOENT')
  })

  test('names the slugs that could be meant', async () => {
    for (const args of [
      ['keys', 'acne'],
      ['suspend', 'acne'],
      ['rotate-keys', '--tenant', 'acne'],
    ])
      expect(await usher(args)).toEqual({
        code: 1,
        out: '',
        err: 'There is no tenant with the slug acne. Did you mean acme?\n',
      })
  })

  test('jobs is the command of the background jobs', async () => {
    expect((await usher(['jobs', 'failed'])).err).toContain('Start Usher on it first')
  })

  test('without a server starts the embedded database for the time of the command', async () => {
    const env = { USHER_DATABASE_URL: '', MONITOR }
    expect((await usher(['apply', 'platform.yaml'], env)).out).toContain('tenant acme: made')
    expect((await usher(['keys', 'acme'], env)).out).toMatch(/^consumer /)
    expect(await usher(['apply', 'platform.yaml'], env)).toEqual({
      code: 0,
      out: 'Nothing to change.\n',
      err: '',
    })
  }, 60_000)
})
