import { readFile, rm, stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needsProgram } from '../server/src/testing/needs-program.ts'
import { shellBlocks, typeCommands } from './shell-blocks.ts'
import { type RunningPlatform, startPlatform } from './start-platform.ts'

const page = await readFile(new URL('../docs/operating.md', import.meta.url), 'utf8')
const config = await readFile(new URL('../server/src/config.ts', import.meta.url), 'utf8')

test('docs/operating.md names every variable of the configuration, and no other', () => {
  const rows = [...page.matchAll(/^\| (`USHER_.*?) \|/gm)].flatMap(([, names]) => names?.match(/\w+/g) ?? [])
  const read = new Set([...config.matchAll(/read(?:<[^(]+>)?\(\s*'(USHER_\w+)'/g)].map(([, name]) => name))
  expect(read.size).toBeGreaterThan(10)
  expect(rows.toSorted()).toEqual([...read].toSorted())
})

describe.skipIf(needsProgram('bash'))('the commands of docs/operating.md', () => {
  let platform: RunningPlatform
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(async () => {
    await platform.close()
    await rm(`${platform.dataDir}-backup`, { recursive: true, force: true })
  })
  const commands = shellBlocks(page)
  const type = (script: string) => typeCommands(script, platform)
  const statusOfDemoKey = async () => (await platform.call('GET', '/api/platform/events')).status

  test('are these three', () => {
    expect(commands.map(text => text.split(' ', 1)[0])).toEqual(['test', 'cp', 'rm'])
  })

  test('make a second tenant beside the demo, whose keys go on', async () => {
    const apply = commands[0] ?? ''
    const made = (await type(apply)).split('\n')
    expect(made).toContain('tenant gazette: made, at members.gazette.localhost')
    expect(made.filter(line => line.includes('key '))).toEqual([
      'tenant gazette: key consumer added',
      'key uptime added',
    ])
    // The whole of it once more, as somebody pastes it again: the keys that are in use go on.
    expect(await type(apply)).toMatch(/^Nothing to change\.\n$/)
    expect((await stat(`${platform.dataDir}/tokens.env`)).mode & 0o777).toBe(0o600)
    expect(await statusOfDemoKey()).toBe(200)
    const tokens = await readFile(`${platform.dataDir}/tokens.env`, 'utf8')
    const [, monitor = '', consumer = ''] = /MONITOR_TOKEN=(\S+) CONSUMER_TOKEN=(\S+)/.exec(tokens) ?? []
    const statusWith = async (token: string, path: string) =>
      (await platform.call('GET', path, { authorization: `Bearer ${token}` })).status
    expect(await statusWith(monitor, '/api/v1/landlord/health')).toBe(200)
    expect(await statusWith(monitor, '/api/v1/landlord/tenants')).toBe(403)
    expect(await statusWith(consumer, '/api/platform/events')).toBe(200)
    expect(await statusWith(consumer, '/api/v1/oauth-clients')).toBe(403)
  })

  test('bring back what was there when the copy was made', async () => {
    const [, copy = '', putBack = ''] = commands
    const addresses = () =>
      platform.program().lines.filter(line => /http\S+/.test(line) && !/curl/.test(line))
    const first = addresses()
    expect(first.length).toBeGreaterThanOrEqual(6)
    await platform.program().end('SIGINT')
    await type(copy)
    await rm(`${platform.dataDir}/postgres`, { recursive: true })
    await type(putBack)
    await platform.startAgain()
    await platform.program().line(/^ {2}Its keys +in .*demo\.json$/)
    expect(addresses()).toEqual(first)
    expect(await statusOfDemoKey()).toBe(200)
    expect(await type('npx usher keys gazette')).toContain('consumer')
  })
})
