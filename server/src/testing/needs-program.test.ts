import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, needsProgram } from './needs-program.ts'

describe('a program that a test needs', () => {
  let folder: string
  let path: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-programs-'))
    path = ['/nowhere', folder].join(delimiter)
    await writeFile(join(folder, 'chromium-browser'), '')
    await chmod(join(folder, 'chromium-browser'), 0o755)
    await writeFile(join(folder, 'redis-server'), 'not executable')
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('is found by any of its names', () => {
    expect(findProgram('chromium', path)).toBe(join(folder, 'chromium-browser'))
    expect(needsProgram('chromium', { path, ci: true })).toBe(false)
  })

  test('is not found when it cannot be executed', () => {
    expect(findProgram('redis-server', path)).toBeUndefined()
  })

  test('skips the test where it is missing, and says so', () => {
    const said: string[] = []
    expect(needsProgram('redis-server', { path, ci: false, say: line => said.push(line) })).toBe(true)
    expect(said).toEqual([
      'redis-server is not installed (on Debian: apt-get install redis-server): the tests that need it are skipped.',
    ])
  })

  test('fails the test where it is missing with CI=true', () => {
    expect(() => needsProgram('redis-server', { path, ci: true })).toThrow(
      'redis-server is not installed (on Debian: apt-get install redis-server), and with CI=true no test is skipped.',
    )
  })
})
