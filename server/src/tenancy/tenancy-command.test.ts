import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { noHooks, TEST_PLATFORM_HOST } from '../testing/platform.ts'
import { readTenancyCommand } from './tenancy-command.ts'

let database: TestDatabase
let folder: string
const MONITOR = 'monitor-token-of-32-characters-or-more'
const FILE = `operators: [ops@example.com]
platform_keys: [{ name: monitor, token: "\${MONITOR}" }]
tenants:
  - slug: acme
    name: Acme
    domain: acme.localhost
    flags: [UseQueueEvents]
    staff: [{ email: a@acme.example, role: administrator }]
    keys:
      - name: consumer
      - { name: old, token: old-token-of-32-characters-or-more, abilities: [health:read], expires_at: 2020-01-01 }
      - { name: young, token: young-token-of-32-characters-or-more, expires_at: 2040-01-01 }
`

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'usher-command-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await database.drop()
})

const write = async (name: string, text: string) => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

async function usher(...args: string[]) {
  const run = readTenancyCommand(args)
  if (!run) throw new Error(`not understood: ${args.join(' ')}`)
  const printed: string[] = []
  const complaints: string[] = []
  const code = await run({
    db: database.db,
    hooks: noHooks,
    platformHost: TEST_PLATFORM_HOST,
    env: { MONITOR },
    actor: { kind: 'system', name: 'test' },
    now: new Date('2026-05-01T12:00:00Z'),
    print: line => printed.push(line),
    complain: line => complaints.push(line),
  })
  return { code, printed, complaints }
}

describe('the commands of tenancy', () => {
  test.for([
    [],
    ['nonsense'],
    ['apply'],
    ['apply', 'a', 'b'],
    ['keys', 'revoke'],
    ['keys', 'revoke', 'a', 'b', 'c'],
    ['keys', 'a', 'b'],
    ['audit', '--limit', '0'],
    ['audit', '--limit'],
    ['audit', '--all'],
    ['audit', 'a', 'b'],
    ['suspend'],
    ['suspend', '--all'],
  ])('%j is none of them', args => expect(readTenancyCommand(args)).toBeUndefined())

  test('apply refuses a file with a line for each problem, and changes nothing', async () => {
    const file = await write('bad.yaml', FILE.replace('domain: acme', 'colour: red\n    domain: http://acme'))
    const { code, printed, complaints } = await usher('apply', file)
    expect([code, printed]).toEqual([1, []])
    expect(complaints).toEqual([
      `${file}:6: tenants[0].colour is an unknown field; remove it or correct its name`,
      expect.stringContaining(`${file}:7: tenants[0].domain must be a host name`),
    ])
    expect((await database.pool.query('select from tenants')).rowCount).toBe(0)
  })

  test('apply changes the platform, prints made keys once, and changes nothing the second time', async () => {
    const file = await write('platform.yaml', FILE)
    const { code, printed } = await usher('apply', file)
    expect(code).toBe(0)
    expect(printed).toContain('tenant acme: made, at acme.localhost')
    expect(printed.at(-1)).toMatch(/^key consumer of tenant acme, shown only now: usher_org_\w{38}$/)
    expect(printed.join()).not.toContain(MONITOR)
    expect(await usher('apply', file)).toEqual({ code: 0, printed: ['Nothing to change.'], complaints: [] })
  })

  test('suspend and resume change a tenant', async () => {
    for (const [command, state] of [
      ['suspend', 'now suspended'],
      ['suspend', 'already suspended'],
      ['resume', 'now not suspended'],
      ['resume', 'already not suspended'],
    ] as const)
      expect(await usher(command, 'acme')).toEqual({
        code: 0,
        printed: [`tenant acme: ${state}`],
        complaints: [],
      })
    expect(await usher('suspend', 'nobody')).toEqual({
      code: 1,
      printed: [],
      complaints: ['There is no tenant with the slug nobody.'],
    })
  })

  test('keys lists and revokes', async () => {
    expect((await usher('keys', 'acme')).printed).toEqual([
      'consumer  without end  events:read events:delete health:read admin:read admin:write',
      'old  expired 2020-01-01T00:00:00.000Z  health:read',
      expect.stringMatching(/^young {2}until 2040-01-01T00:00:00.000Z {2}events:read /),
    ])
    expect((await usher('keys', 'revoke', 'acme', 'consumer')).printed).toEqual([
      'key consumer of tenant acme: revoked',
    ])
    expect((await usher('keys', 'revoke', 'monitor')).printed).toEqual([
      'key monitor of the platform: revoked',
    ])
    expect(await usher('keys', 'revoke', 'acme', 'consumer')).toEqual({
      code: 1,
      printed: [],
      complaints: ['No live key of tenant acme has the name consumer. "usher keys acme" lists them.'],
    })
    for (const args of [
      ['keys', 'nobody'],
      ['keys', 'revoke', 'nobody', 'x'],
    ])
      expect(await usher(...args)).toMatchObject({
        code: 1,
        complaints: ['There is no tenant with the slug nobody.'],
      })
    expect((await usher('keys')).printed).toEqual([
      expect.stringMatching(/^monitor {2}revoked 2026-05-01T12:00:00.000Z {2}events:read /),
    ])
  })

  test('apply makes a revoked key anew, but never gives a revoked token back', async () => {
    const { printed, complaints } = await usher('apply', join(folder, 'platform.yaml'))
    expect(printed).toEqual([
      'tenant acme: key consumer added',
      expect.stringMatching(/^key consumer of tenant acme, shown only now: /),
    ])
    expect(complaints).toEqual([
      'platform_keys[0] stays as it is: its token was revoked. Give it another one.',
    ])
  })

  test('audit shows who did what, oldest first', async () => {
    const { code, printed } = await usher('audit', 'acme')
    expect(code).toBe(0)
    expect(printed.map(line => line.split('  ')[2])).toEqual([
      'tenant.created',
      'flag.activated',
      'staff.added',
      'key.created',
      'key.created',
      'key.created',
      'tenant.suspended',
      'tenant.resumed',
      'key.revoked',
      'key.created',
    ])
    expect(printed[6]).toBe('2026-05-01T12:00:00.000Z  test  tenant.suspended  acme  {}')
    expect((await usher('audit', '--limit', '1')).printed).toEqual([
      expect.stringMatching(/^2026-05-01T12:00:00.000Z {2}test {2}key\.revoked {2}monitor {2}\{"key_id"/),
    ])
    expect((await usher('audit', 'nobody')).code).toBe(1)
  })
})
