import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'
import { type EventSource, openEventSource } from './event-source.ts'
import { type HoldingProxy, startHoldingProxy } from './holding-proxy.ts'

const root = new URL('../../', import.meta.url)
const document = await readFile(new URL('docs/consuming.md', root), 'utf8')

/** The only piece of code in a language that the document shows under a heading. */
function codeUnder(heading: string, language: string): string {
  const section = document.split(`\n## ${heading}\n`)[1]?.split('\n## ', 1)[0] ?? ''
  const found = [...section.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))]
  expect(found).toHaveLength(1)
  return found[0]?.[1] ?? ''
}

let platform: RunningPlatform
let folder: string
let source: EventSource
let proxy: HoldingProxy
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform?.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-consuming-'))
  source = openEventSource(platform)
  proxy = await startHoldingProxy(platform.port)
})
afterEach(async () => {
  source.close()
  await proxy.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a consumer in a folder of its own until its test is over. */
function start(program: string, args: string[], cwd = folder): { child: ChildProcess; stdout: () => string } {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group, as some start others.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      USHER_URL: `http://127.0.0.1:${proxy.port}`,
      USHER_KEY: platform.consumerKey,
    },
  })
  let text = ''
  child.stdout.on('data', chunk => {
    text += chunk
  })
  const over = once(child, 'close')
  onTestFinished(async () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // It has ended.
    }
    await over
  })
  return { child, stdout: () => text }
}

/** Lets a consumer go through an answer to a removal that is lost, and more events after that. */
async function letItConsume(begin: () => void): Promise<void> {
  await source.send(150)
  const held = proxy.holdAt('before the answer to the removal')
  begin()
  await held
  proxy.release()
  await source.send(80)
  await source.untilEmpty()
  const removals = proxy.passed.filter(line => line.startsWith('DELETE'))
  // The second is the first once more, and removes nothing.
  expect(removals.slice(0, 2)).toEqual(
    Array(2).fill(`DELETE /api/platform/events?count=150&first_id=${source.sent[0]} 204`),
  )
}

async function idsInFile(path: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  return lines.map(line => JSON.parse(line).id)
}

describe('docs/consuming.md', () => {
  test.skipIf(needsProgram('bash') || needsProgram('curl') || needsProgram('jq'))(
    'shows a loop in curl that loses nothing, also where an answer is lost',
    async () => {
      await writeFile(join(folder, 'consume.sh'), codeUnder('With curl', 'bash'))
      await letItConsume(() => start('bash', ['consume.sh']))
      expect(await idsInFile(join(folder, 'events.ndjson'))).toEqual(source.sent)
    },
  )

  test.skipIf(needsProgram('python3'))(
    'shows a loop in Python that loses nothing, also where an answer is lost',
    async () => {
      await writeFile(join(folder, 'consume.py'), codeUnder('With Python', 'python'))
      await letItConsume(() => start(findProgram('python3') ?? '', ['consume.py']))
      expect(await idsInFile(join(folder, 'events.ndjson'))).toEqual(source.sent)
    },
  )

  test.skipIf(needsProgram('bash') || needsProgram('curl') || needsProgram('jq'))(
    'shows a loop in curl that ends with the reason where the key is wrong',
    async () => {
      const script = codeUnder('With curl', 'bash').replace('$USHER_KEY', 'wrong')
      const { child, stdout } = start('bash', ['-c', script])
      expect(await once(child, 'close')).toEqual([1, null])
      expect(JSON.parse(stdout())).toEqual({ message: expect.any(String) })
    },
  )

  test('shows a loop for Node that loses nothing, and ends cleanly', async () => {
    await writeFile(join(folder, 'consume.mjs'), codeUnder('From Node', 'js'))
    await symlink(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'), 'junction')
    const node: ReturnType<typeof start>[] = []
    await letItConsume(() => node.push(start(process.execPath, ['consume.mjs'])))
    const [running] = node
    running?.child.kill('SIGTERM')
    if (running) expect(await once(running.child, 'close')).toEqual([0, null])
    const ids = running?.stdout().trimEnd().split('\n')
    expect(ids?.map(line => line.split(' ')[0])).toEqual(source.sent)
  })

  test.skipIf(needsProgram('bash'))('shows a command that npx finds', async () => {
    const file = join(folder, 'events.ndjson')
    const command = codeUnder('Into a file, with a command', 'sh').replace('events.ndjson', file)
    await letItConsume(() => start('bash', ['-c', command], fileURLToPath(root)))
    expect(await idsInFile(file)).toEqual(source.sent)
  })

  test('links to what is there', async () => {
    const links = [...document.matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path ?? '')
    expect(links.length).toBeGreaterThan(1)
    for (const path of links) await access(new URL(path, new URL('docs/', root)))
  })
})
