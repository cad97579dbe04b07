import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const repository = join(import.meta.dirname, '..')

/** Stands in the place of the real command: does what its first argument says. */
const cli = `
const [, , what, ...rest]: string[] = process.argv
if (what === 'echo') console.log(JSON.stringify({ rest, version: process.version }))
if (what === 'exit') process.exitCode = Number(rest[0])
if (what === 'wait') {
  process.on('SIGTERM', () => { console.log('terminated'); process.exit(5) })
  process.on('SIGINT', () => { console.log('interrupted'); process.exit(6) })
  setInterval(() => {}, 1000)
  console.log('ready')
}
if (what === 'die') process.kill(process.pid, 'SIGKILL')
`

describe('bin/usher', () => {
  let root: string
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'usher-launcher-')))
    await cp(join(repository, 'bin'), join(root, 'bin'), { recursive: true })
    await mkdir(join(root, 'server/src'), { recursive: true })
    await writeFile(join(root, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(join(root, 'server/src/cli.ts'), cli)
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'), 'junction')
  })
  afterAll(() => rm(root, { recursive: true }))

  function start(args: string[], from = root) {
    const child = spawn(process.execPath, [join(from, 'bin/usher'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
      ([[code, signal], stdout, stderr]) => ({ code, signal, stdout, stderr }),
    )
    return { child, ended }
  }

  test('hands the arguments on as they are, to Node 24', async () => {
    const args = ['', 'a b', '--flag=x', '"quoted"', '*']
    const { code, stdout } = await start(['echo', ...args]).ended
    expect(code).toBe(0)
    const { rest, version } = JSON.parse(stdout)
    expect(rest).toEqual(args)
    expect(version).toMatch(/^v24\./)
  })

  test.for([0, 1, 42])('ends with exit code %i as the command does', async code => {
    expect(await start(['exit', String(code)]).ended).toMatchObject({ code, signal: null })
  })

  test.for([
    ['SIGTERM', 'terminated', 5],
    ['SIGINT', 'interrupted', 6],
  ] as const)('passes %s on and waits for the command', async ([signal, says, code]) => {
    const { child, ended } = start(['wait'])
    await once(child.stdout, 'data')
    child.kill(signal)
    expect(await ended).toMatchObject({ code, signal: null, stdout: expect.stringContaining(says) })
  })

  test('ends by the signal that ended the command', async () => {
    expect(await start(['die']).ended).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  test('is found through a link, as npx makes one', async () => {
    const link = join(root, 'usher-link')
    await symlink(join(root, 'bin/usher'), link)
    const child = spawn(process.execPath, [link, 'exit', '9'], { stdio: 'ignore' })
    expect((await once(child, 'close'))[0]).toBe(9)
  })

  test('says what to do where npm ci has not run and Node is old', async () => {
    const bare = join(root, 'bare')
    await cp(join(root, 'bin'), join(bare, 'bin'), { recursive: true })
    await chmod(join(bare, 'bin/usher'), 0o755)
    // The version is read from the process, so an old Node can be played.
    const old = join(bare, 'old.cjs')
    await writeFile(old, "Object.defineProperty(process.versions, 'node', { value: '20.0.0' })")
    const child = spawn(process.execPath, ['--require', old, join(bare, 'bin/usher')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^usher needs Node 24, and this is v\S+\. Run "npm ci" in .+, which brings it\.\n$/,
    )
  })
})
