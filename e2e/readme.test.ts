import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needsProgram } from '../server/src/testing/needs-program.ts'
import { shellBlocks, typeCommands } from './shell-blocks.ts'
import { type RunningPlatform, startPlatform } from './start-platform.ts'

const blocks = shellBlocks(await readFile(new URL('../README.md', import.meta.url), 'utf8'))
// Those of signing in are typed in partner/documents.test.ts.
const commands = blocks.filter(text => !/npm ci|oauth|TOKEN|jwks/.test(text))

describe('the README', () => {
  let platform: RunningPlatform
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(() => platform.close())

  const type = (script: string) => typeCommands(script, platform)

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
      const removal = `${key}\n${remove.replace('the-id-of-the-first-event', first.data.events[0].id)}`
      expect(await type(removal)).toBe('')
      // The same once more, as a retry is: it removes nothing, and is answered alike.
      expect(await type(removal)).toBe('')
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
})
