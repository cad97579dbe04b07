import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const here = import.meta.dirname

const clean = `
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
const server = createServer((request, response) => response.end('here'))
beforeAll(() => new Promise(resolve => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise(resolve => { server.close(resolve) }))
test('talks to itself and keeps the connection', async () => {
  const { port } = server.address()
  for (const host of ['127.0.0.1', 'localhost']) {
    const answer = await fetch('http://' + host + ':' + port).then(r => r.text(), error => error.cause.code)
    // The server listens on IPv4 only, and a name may mean the other address.
    expect(['here', 'ECONNREFUSED']).toContain(answer)
  }
})
test('waits for a child', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', '1 + 1'])
  console.log('child said', stdout)
  expect(stdout.trim()).toBe('2')
})
test('leaves a timer that holds nothing up', () => {
  setTimeout(() => {}, 60_000).unref()
  vi.useFakeTimers()
})
test('has a timer that ends by itself', () => { setTimeout(() => {}, 200) })
test.skip('is skipped', () => {})
`

const files: Record<string, { source: string; says: string }> = {
  'clean.test.ts': { source: clean, says: '' },
  'leaves-a-server.test.ts': {
    source: `import { createServer } from 'node:net'
      import { test } from 'vitest'
      test('listens', () => new Promise(resolve => createServer().listen(0, '127.0.0.1', resolve)))`,
    says: 'This file leaves open: 1 TCPServerWrap (server on {"address":"127.0.0.1"',
  },
  'leaves-an-interval.test.ts': {
    source: `import { test } from 'vitest'
      test('ticks', () => { setInterval(() => {}, 10) })`,
    says: 'This file leaves open: 1 Timeout',
  },
  'leaves-a-process.test.ts': {
    source: `import { spawn } from 'node:child_process'
      import { test } from 'vitest'
      test('spawns', () => { spawn(process.execPath, ['-e', 'setTimeout(() => {}, 8000)'], { stdio: 'ignore' }) })`,
    says: 'This file leaves open: 1 ProcessWrap (process ',
  },
  'wants-the-network.test.ts': {
    source: `import { test } from 'vitest'
      test('swallows the error', () => fetch('http://192.0.2.7:81/').catch(() => {}))`,
    says: 'this file wanted 192.0.2.7:81',
  },
  'wants-a-name.test.ts': {
    source: `import { lookup } from 'node:dns/promises'
      import { test } from 'vitest'
      test('swallows the error', () => lookup('somewhere.example').catch(() => {}))`,
    says: 'this file wanted the address of somewhere.example',
  },
  'does-not-load.test.ts': { source: `throw new Error('does not load')`, says: 'does not load' },
  'forgets-a-rejection.test.ts': {
    source: `import { test } from 'vitest'
      test('rejects', () => { Promise.reject(new Error('forgotten')) })`,
    says: 'forgotten',
  },
  'fails.test.ts': {
    source: `import { test } from 'vitest'
      test('fails', () => { throw new Error('as it should') })`,
    says: 'as it should',
  },
}

const config = `
import { tallyReporter } from ${JSON.stringify(join(here, 'tally-reporter.ts'))}
export default { test: {
  pool: 'forks', maxWorkers: 2, reporters: ['default', tallyReporter],
  setupFiles: ${JSON.stringify([join(here, 'no-network.ts'), join(here, 'no-leaks.ts')])},
} }`

describe('a test run', () => {
  let root: string
  let status: number
  let output: string

  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'usher-test-run-')))
    await symlink(join(here, '../node_modules'), join(root, 'node_modules'), 'junction')
    await writeFile(join(root, 'vitest.config.mjs'), config)
    for (const [name, { source }] of Object.entries(files)) await writeFile(join(root, name), source)
    const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...environment } = process.env
    const run = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
      cwd: root,
      env: { ...environment, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const printed = Promise.all([text(run.stdout), text(run.stderr)])
    ;[status] = (await once(run, 'close')) as [number]
    output = (await printed).join('\n')
  })
  afterAll(() => rm(root, { recursive: true }))

  test('fails when a file fails', () => expect(status).toBe(1))

  test('lets a file pass that cleans up after itself', () => {
    expect(output).not.toContain('FAIL  clean.test.ts')
    expect(output).toMatch(/✓ clean\.test\.ts/)
  })

  test.for(Object.entries(files).filter(([, { says }]) => says))('fails %s', ([name, { says }]) => {
    expect(output).toContain(says)
    expect(output).toContain(name)
  })

  test('ends with one plain line that counts files and errors too', () => {
    // Passed: four of clean, and one each of the files whose fault is outside of the test.
    expect(output.split('\n').filter(line => /^\d+ passed/.test(line))).toEqual([
      '10 passed, 8 failed, 1 skipped',
    ])
  })
})
