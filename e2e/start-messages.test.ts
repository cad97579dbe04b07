import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import '../examples/localhost-names.mjs'
import { createTestDatabase } from '../server/src/testing/database.ts'
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
  expect(await main.finish()).toBe(1)
  expect(main.lines).toEqual([
    `Port ${port} of 127.0.0.1 is in use. Stop the other program, or set USHER_PORT to another port.`,
  ])
})

test.for([
  [{}, 'Set REDIRECT_URI to one with another port, and have the publisher register it: '],
  [{ PARTNER_PORT: 'taken' }, 'Set PARTNER_PORT to another one.'],
] as const)(
  'the partner’s application says what to set where its port is taken: %j',
  async ([env, advice]) => {
    const port = await findPort()
    const other = createServer().listen(port, '127.0.0.1')
    onTestFinished(() => void other.close())
    const app = startProgram('examples/partner-app/main.ts', {
      ISSUER: 'https://members.acme.example',
      CLIENT_ID: 'saltern',
      CLIENT_SECRET: 'a-secret',
      REDIRECT_URI: `http://127.0.0.1:${port}/callback`,
      ...('PARTNER_PORT' in env && { PARTNER_PORT: `${port}` }),
    })
    onTestFinished(() => void app.end())
    expect(await app.finish()).toBe(1)
    expect(app.lines.join('\n')).toContain(`Port ${port} is in use. ${advice}`)
  },
)

test('a secret key that is another than the database’s is told at each start, as an error', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const [right, wrong] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  const port = `${await findPort()}`
  const startWith = async (key: string) => {
    const env = { USHER_PORT: port, USHER_DATABASE_URL: database.url, USHER_SECRET_KEY: key }
    const main = await startMain({ ...env, NODE_ENV: 'development' })
    await main.line(/^Usher answers at /)
    return main
  }
  const first = await startWith(right)
  // The tenant's signing key is made when it is first asked for.
  const keys = await fetch(`http://members.acme.localhost:${port}/.well-known/jwks.json`)
  expect(keys.status).toBe(200)
  await first.end()
  const second = await startWith(wrong)
  expect(second.lines.join('\n')).toMatch(/"level":50.*USHER_SECRET_KEY does not open the signing keys/)
  await second.end()
  const third = await startWith(`${wrong},${right}`)
  expect([...first.lines, ...third.lines].join('\n')).not.toContain('does not open the signing keys')
})
