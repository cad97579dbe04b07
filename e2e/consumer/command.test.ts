import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { mountSmallDisk } from '../faults/small-disk.ts'
import { emptyQueue, readQueue } from '../read-queue.ts'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'
import { type EventSource, openEventSource } from './event-source.ts'

const launcher = fileURLToPath(new URL('../../bin/usher-consume', import.meta.url))

let platform: RunningPlatform
let folder: string
let source: EventSource
beforeAll(async () => {
  platform = await startPlatform()
  folder = await mkdtemp(join(tmpdir(), 'usher-consume-'))
})
afterAll(async () => {
  await platform?.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await emptyQueue(platform)
  source = openEventSource(platform)
})
afterEach(() => source.close())

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

function start(
  args: string[],
  { node = process.execPath, env = {} }: { node?: string; env?: Record<string, string> } = {},
) {
  const child: ChildProcess = spawn(node, [launcher, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      USHER_URL: `http://platform.localhost:${platform.port}`,
      USHER_KEY: platform.consumerKey,
      ...env,
    },
  })
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the command has no output')
  // A test may stop reading the output.
  const lines = text(stdout).catch(() => '')
  const ended: Promise<Ended> = Promise.all([once(child, 'close'), lines, text(stderr)]).then(
    ([[code], out, err]) => ({ code, stdout: out, stderr: err }),
  )
  return { child, stdout, ended }
}
const run = (...given: Parameters<typeof start>) => start(...given).ended

const idsOf = (lines: string): string[] =>
  lines
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).id)

/** The Node that a user has, unless it is the one that the project brings. */
function findOtherNode(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(path => !path.includes('node_modules'))
    .map(path => join(path, 'node'))
    .find(file => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

describe('usher-consume', () => {
  test('prints the events as they were read, empties the queue and ends', async () => {
    await source.send(250)
    const served = await readQueue(platform)
    const { code, stdout, stderr } = await run(['--limit', '100'])
    expect(stdout).toBe(served.map(event => `${JSON.stringify(event)}\n`).join(''))
    expect(stderr).toMatch(
      /^Reading the events of http:\/\/platform\.localhost:\d+\.\n250 events in [\d.]+ s\.\n$/,
    )
    expect(code).toBe(0)
    expect(await readQueue(platform)).toEqual([])
  })

  test('ends at once where nothing waits', async () => {
    expect(await run(['--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test.skipIf(!findOtherNode())('runs with the Node that a machine has', async () => {
    await source.send(30)
    const path = join(folder, 'other-node.ndjson')
    const { code, stderr } = await run(['--out', path], { node: findOtherNode() ?? '' })
    expect(stderr).toContain('30 events in')
    expect(code).toBe(0)
    expect(idsOf(await readFile(path, 'utf8'))).toEqual(source.sent)
  })

  test.for(['SIGINT', 'SIGTERM'] as const)('--follow waits for more events, until %s', async signal => {
    await source.send(10)
    const { child, stdout, ended } = start(['--follow', '--quiet'])
    await once(stdout, 'readable')
    await source.send(10)
    await source.untilEmpty()
    child.kill(signal)
    const { code, stdout: lines } = await ended
    expect(code).toBe(0)
    expect(idsOf(lines)).toEqual(source.sent)
  })

  test('ends with the npx that started it, its batch removed', async () => {
    const path = join(folder, 'npx.ndjson')
    const npx = spawn('npx', ['usher-consume', '--follow', '--out', path], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        USHER_URL: `http://platform.localhost:${platform.port}`,
        USHER_KEY: platform.consumerKey,
      },
      // A group, so that nothing is left of it where the test fails.
      detached: true,
    })
    const group = -(npx.pid ?? 0)
    onTestFinished(() => {
      try {
        process.kill(group, 'SIGKILL')
      } catch {
        // It has ended.
      }
    })
    const said = text(npx.stderr)
    // npx is over at once; its output, when all have ended who write to it.
    await source.send(20)
    await source.untilEmpty()
    npx.kill('SIGTERM')
    expect(await said).toMatch(/\n20 events in [\d.]+ s\.\n$/)
    await source.send(5)
    expect(idsOf(await readFile(path, 'utf8'))).toEqual(source.sent.slice(0, 20))
    expect((await readQueue(platform)).map(({ id }) => id)).toEqual(source.sent.slice(20))
  })

  test('--out adds to a file, cuts a torn line off, and says what was there already', async () => {
    const path = join(folder, 'events.ndjson')
    await source.send(20)
    const served = await readQueue(platform)
    const lines = served.map(event => `${JSON.stringify(event)}\n`)
    // As a kill leaves it that came while a batch was written.
    await writeFile(path, lines.slice(0, 7).join('') + lines[7]?.slice(0, 50))
    const { code, stdout, stderr } = await run(['--out', path])
    expect(stderr).toMatch(/\n20 events in [\d.]+ s, of which 7 were there already\.\n$/)
    expect(stdout).toBe('')
    expect(code).toBe(0)
    expect(await readFile(path, 'utf8')).toBe(lines.join(''))
    await source.send(5)
    await run(['--out', path])
    expect(idsOf(await readFile(path, 'utf8'))).toEqual(source.sent)
  })

  test('--out does not harm a file of another kind', async () => {
    const path = join(folder, 'notes.txt')
    await writeFile(path, 'notes')
    const { code, stderr } = await run(['--out', path])
    expect(stderr).toContain('holds something else than events')
    expect(code).toBe(1)
    expect(await readFile(path, 'utf8')).toBe('notes')
  })

  test('removes nothing that it could not write', async () => {
    const path = join(folder, 'taken.ndjson')
    const { child, ended } = start(['--follow', '--out', path])
    await source.send(10)
    await source.untilEmpty()
    await appendFile(path, 'x')
    await source.send(10)
    const { code, stderr } = await ended
    expect(stderr).toContain('another process writes to it')
    expect(code).toBe(1)
    expect(child.exitCode).toBe(1)
    expect((await readQueue(platform)).map(({ id }) => id)).toEqual(source.sent.slice(10))
  })

  test('leaves in the queue what nobody read from its output', async () => {
    await source.send(3_000)
    const { stdout, ended } = start(['--limit', '1000'])
    await once(stdout, 'readable')
    stdout.destroy()
    const { code, stderr } = await ended
    expect(stderr).toContain('Nobody reads the output any more')
    expect(code).toBe(1)
    expect((await readQueue(platform)).map(({ id }) => id)).toEqual(source.sent)
  })

  test.for([
    [['--key', 'wrong'], 1, 'the platform answered 401: '],
    [['--url', 'members'], 1, 'url must be the http or https address'],
    [['--limit', '0'], 2, '--limit must be a number from 1 to 10000'],
    [['--nonsense'], 2, '--nonsense'],
  ] as const)('ends with a reason where it is given %j', async ([args, expected, reason]) => {
    const { code, stdout, stderr } = await run([...args])
    expect(stderr).toContain(reason)
    expect(stderr).not.toContain('    at ')
    expect(stdout).toBe('')
    expect(code).toBe(expected)
  })

  test('--help tells its options, on the standard output', async () => {
    const { code, stdout, stderr } = await run(['--help'], { env: { USHER_URL: '', USHER_KEY: '' } })
    for (const option of ['--url', '--key', '--follow', '--out', '--queue', '--limit'])
      expect(stdout).toContain(option)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })
})

describe('its launcher', () => {
  test.for([
    ['is not built', '20.0.0', /^usher-consume is not built\. Run "npm ci" in .+\.\n$/],
    ['meets an old Node', '18.20.0', /^usher-consume needs Node 20 or later, and this is v\S+\.\n$/],
  ] as const)('says what to do where it %s', async ([, version, says]) => {
    const bare = await mkdtemp(join(folder, 'bare-'))
    await cp(dirname(launcher), join(bare, 'bin'), { recursive: true })
    // The version is read from the process, so another Node can be played.
    const other = join(bare, 'other.cjs')
    await writeFile(other, `Object.defineProperty(process.versions, 'node', { value: '${version}' })`)
    const child = spawn(process.execPath, ['--require', other, join(bare, 'bin/usher-consume')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)])
    expect(stderr).toMatch(says)
    expect(code).toBe(1)
  })
})

const disk = mountSmallDisk(1)
if (typeof disk === 'string') console.warn(`${disk}: the test that needs it is skipped.`)
describe.skipIf(typeof disk === 'string')('a full disk', () => {
  afterAll(() => {
    if (typeof disk !== 'string') disk.close()
  })

  test('ends the command, keeps whole lines, and loses nothing', async () => {
    if (typeof disk === 'string') return
    const path = join(disk.folder, 'events.ndjson')
    await source.send(100)
    expect((await run(['--out', path])).code).toBe(0)
    await source.send(5_000)
    const { code, stderr } = await run(['--out', path])
    expect(stderr).toContain('ENOSPC')
    expect(code).toBe(1)
    expect(idsOf(await readFile(path, 'utf8'))).toEqual(source.sent.slice(0, 100))
    const rest = join(folder, 'rest.ndjson')
    expect((await run(['--out', rest])).code).toBe(0)
    expect(idsOf(await readFile(rest, 'utf8'))).toEqual(source.sent.slice(100))
  })
})
