import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const repository = join(import.meta.dirname, '..')
const readme = '```sh\nnpm ci && npm test\n```\n'
const programs = ['chromium', 'curl', 'jq', 'python3', 'redis-server', 'nginx', 'caddy']
const parts = ['npm run types', 'npm run lint', 'npm run rooms', 'npm run unused']

/** Runs .ci/run where npm, apt-get and sudo only write down how they were called. `fails` is a call that fails. */
async function run(given: { readme?: string; installed?: string[]; fails?: string }) {
  const root = await mkdtemp(join(tmpdir(), 'usher-ci-run-'))
  roots.push(root)
  const bin = join(root, 'bin')
  const log = join(root, 'log')
  await mkdir(bin)
  await cp(join(repository, '.ci'), join(root, '.ci'), { recursive: true })
  await writeFile(join(root, 'README.md'), given.readme ?? readme)
  await writeFile(log, '')
  const stand = async (name: string, body: string) => {
    await writeFile(join(bin, name), `#!/bin/bash\n${body}\n`)
    await chmod(join(bin, name), 0o755)
  }
  const note = (name: string) =>
    `echo "${name} $*" >> '${log}'; [ "${name} $*" != '${given.fails ?? ''}' ] && [ "$CI" = true ]`
  for (const name of ['npm', 'apt-get']) await stand(name, note(name))
  await stand('sudo', 'shift; exec "$@"')
  for (const name of given.installed ?? []) await stand(name, '')
  for (const name of ['bash', 'env', 'grep', 'id', 'dirname'])
    await symlink(
      execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
      join(bin, name),
    )
  const { status, stderr } = spawnSync(join(root, '.ci/run'), { env: { PATH: bin }, encoding: 'utf8' })
  const calls = (await readFile(log, 'utf8')).split('\n').filter(line => line !== '')
  return { status, stderr, calls }
}

const roots: string[] = []
afterAll(() => Promise.all(roots.map(root => rm(root, { recursive: true }))))

describe('.ci/run', () => {
  test('runs the test command of the README, then the other checks', async () => {
    const { status, calls } = await run({ installed: programs })
    expect(calls).toEqual(['npm ci', 'npm test', ...parts])
    expect(status).toBe(0)
  })

  test('installs what is missing first, and only that', async () => {
    const { status, calls } = await run({ installed: programs.slice(0, 3) })
    expect(calls.slice(0, 3)).toEqual([
      'apt-get update -qq',
      'apt-get install -y -qq --no-install-recommends python3 redis-server nginx caddy',
      'npm ci',
    ])
    expect(status).toBe(0)
  })

  test('fails when the README does not have the command on a line of its own', async () => {
    const { status, stderr, calls } = await run({
      readme: 'Run `npm ci && npm test` now.',
      installed: programs,
    })
    expect({ status, calls }).toEqual({ status: 1, calls: [] })
    expect(stderr).toBe('README.md has no line that reads: npm ci && npm test\n')
  })

  test.for(['apt-get update -qq', 'npm ci', 'npm test', ...parts])('fails when %s fails', async fails => {
    const { status, calls } = await run({ fails })
    expect(status).not.toBe(0)
    expect(calls.at(-1)).toBe(fails)
  })
})
