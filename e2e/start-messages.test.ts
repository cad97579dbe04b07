import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findPort, startProgram } from './start-program.ts'

async function startMain(env: Record<string, string>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-e2e-'))
  const program = startProgram('server/src/main.ts', {
    USHER_PORT: `${await findPort()}`,
    USHER_DATA_DIR: dataDir,
    ...env,
  })
  onTestFinished(async () => {
    await program.end()
    await rm(dataDir, { recursive: true, force: true })
  })
  return program
}

test('a database that is away is named in one line, without its password, and waited for', async () => {
  const main = await startMain({ USHER_DATABASE_URL: 'postgres://someone:hush-hush@127.0.0.1:1/usher' })
  const [line] = await main.line(/^The database .*/)
  expect(line).toBe(
    'The database at 127.0.0.1:1/usher cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Usher answers 503 and goes on when it comes.',
  )
  expect(await main.end()).toBe(0)
  expect(main.lines.join('\n')).not.toContain('hush-hush')
})

test('a port that is taken is named in one line, and nothing is left running', async () => {
  const port = await findPort()
  const other = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void other.close())
  const main = await startMain({ USHER_PORT: `${port}` })
  expect(await main.over).toBe(1)
  expect(main.lines).toEqual([
    `Port ${port} of 127.0.0.1 is in use. Stop the other program, or set USHER_PORT to another port.`,
  ])
})
