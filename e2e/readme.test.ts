import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needsProgram } from '../server/src/testing/needs-program.ts'
import { type RunningPlatform, startPlatform } from './start-platform.ts'

const root = new URL('../', import.meta.url)
const run = promisify(execFile)
const readme = await readFile(new URL('README.md', root), 'utf8')
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text ?? '')
const commands = blocks.filter(text => !text.includes('npm ci'))

describe('the README', () => {
  let platform: RunningPlatform
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(() => platform.close())

  /** As a reader would type it, in one shell, with the data folder and the port of this test. */
  async function type(script: string): Promise<string> {
    const text = script.replaceAll(':3000', `:${platform.port}`).replaceAll('./data/', `${platform.dataDir}/`)
    const { stdout } = await run(
      'bash',
      ['-euc', text.replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')],
      {
        cwd: dirname(platform.dataDir),
      },
    )
    return stdout
  }

  test('shows two commands that are each enough', () => {
    expect(blocks).toContain('npm ci && npm start\n')
    expect(blocks).toContain('npm ci && npm test\n')
  })

  test.skipIf(needsProgram('bash') || needsProgram('curl'))(
    'leads from an event to an empty queue',
    async () => {
      expect(commands).toHaveLength(4)
      const [send = '', read = '', remove = '', health = ''] = commands
      expect(JSON.parse(await type(send))).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
      const first = JSON.parse(await type(read))
      expect(first.data).toMatchObject({
        count: 1,
        events: [{ type: 'page_view', url: 'https://news.example/' }],
      })
      const key = read.split('\n', 1)[0]
      expect(await type(`${key}\n${remove}`)).toBe('')
      await type(`${key}\n${remove}`)
      expect(JSON.parse(await type(read))).toEqual({ data: { count: 0, events: [] } })
      expect(JSON.parse(await type(`${key}\n${health}`))).toMatchObject({
        status: 'ok',
        store: { reachable: true },
      })
    },
  )

  test('names an address of the reference that answers', async () => {
    const { status } = await platform.call('GET', '/docs')
    expect(status).toBe(200)
  })

  test('links to what is there', async () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path ?? '')
    expect(links.length).toBeGreaterThan(3)
    for (const path of links) await access(new URL(path, root))
  })
})
