import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EventRecord } from '@usher/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { findProgram, needsProgram } from '../../server/src/testing/needs-program.ts'
import { emptyQueue, readQueue } from '../read-queue.ts'
import { shellBlocks, typeCommands } from '../shell-blocks.ts'
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

interface Started {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
}

/** Runs a consumer in a folder of its own until its test is over. */
function start(
  program: string,
  args: string[],
  { cwd = folder, url = `http://127.0.0.1:${proxy.port}` } = {},
): Started {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group, as some start others.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      USHER_URL: url,
      USHER_KEY: platform.consumerKey,
    },
  })
  const [stdout, stderr] = [child.stdout, child.stderr].map(stream => {
    let text = ''
    stream.on('data', chunk => {
      text += chunk
    })
    return () => text
  }) as [() => string, () => string]
  const over = once(child, 'close')
  onTestFinished(async () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // It has ended.
    }
    await over
  })
  return { child, stdout, stderr }
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

  test.skipIf(needsProgram('bash') || needsProgram('curl') || needsProgram('python3'))(
    'shows loops that say why they wait',
    async () => {
      const url = 'http://127.0.0.1:1'
      const python = start(findProgram('python3') ?? '', ['-c', codeUnder('With Python', 'python')], { url })
      await expect
        .poll(python.stderr)
        .toMatch(/^GET http:\/\/127\.0\.0\.1:1\/api\/platform\/events: .*refused.*\. Trying again in 1 s\.$/m)
      const curl = start('bash', ['-c', codeUnder('With curl', 'bash')], { url })
      await expect.poll(curl.stderr).toMatch(/Failed to connect[\s\S]*Will retry in 5 seconds/)
      // An answer that passes is told too.
      const busy = createServer((_request, response) => response.writeHead(503, { 'retry-after': '2' }).end())
      busy.listen(0, '127.0.0.1')
      onTestFinished(() => {
        busy.closeAllConnections()
        busy.close()
      })
      await once(busy, 'listening')
      const { port } = busy.address() as AddressInfo
      const refused = start('bash', ['-c', codeUnder('With curl', 'bash')], {
        url: `http://127.0.0.1:${port}`,
      })
      await expect.poll(refused.stderr).toMatch(/Will retry in 2 seconds/)
    },
  )

  test.skipIf(needsProgram('bash') || needsProgram('curl'))('shows how to read again', async () => {
    await source.send(3)
    const [ids, back] = [source.sent, shellBlocks(document).find(block => block.includes('/rewind'))]
    await platform.call('DELETE', '/api/platform/events?count=3')
    const settings = shellBlocks(document)[0] ?? ''
    const answer = JSON.parse(await typeCommands(`${settings}${back}`, platform))
    expect(answer.data.depth).toBeGreaterThanOrEqual(3)
    expect((await readQueue(platform)).map(({ id }) => id).slice(-3)).toEqual(ids)
    await emptyQueue(platform)
  })

  test('names every field of a record', () => {
    const table = document.split('\n## An event\n')[1]?.split('\n## ', 1)[0] ?? ''
    const rows = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names]) => names?.match(/\w+/g) ?? [])
    expect(rows.toSorted()).toEqual(Object.keys(EventRecord.properties).toSorted())
  })

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
    await letItConsume(() => start('bash', ['-c', command], { cwd: fileURLToPath(root) }))
    expect(await idsInFile(file)).toEqual(source.sent)
  })

  test.skipIf(needsProgram('bash'))('shows how to start one of the examples', async () => {
    const file = join(folder, 'events.ndjson')
    const command = codeUnder('From Node', 'sh').replace('events.ndjson', file)
    await letItConsume(() => start('bash', ['-c', command], { cwd: fileURLToPath(root) }))
    expect(await idsInFile(file)).toEqual(source.sent)
  })

  test('links to what is there', async () => {
    const links = [...document.matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path ?? '')
    expect(links.length).toBeGreaterThan(1)
    for (const path of links) await access(new URL(path, new URL('docs/', root)))
  })
})
