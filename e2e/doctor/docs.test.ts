import { readFile } from 'node:fs/promises'
import { silentSignInCodes } from '@usher/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needsProgram } from '../../server/src/testing/needs-program.ts'
import { shellBlocks, typeCommands } from '../shell-blocks.ts'
import { type RunningPlatform, startPlatform } from '../start-platform.ts'

const page = await readFile(new URL('../../docs/silent-sign-in.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('\n## When it does not work\n')

test('docs/silent-sign-in.md names every code of the doctor, and no other', () => {
  const rows = section.split('\n').filter(line => line.startsWith('| `'))
  const named = rows.flatMap(row =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code),
  )
  expect(named.toSorted()).toEqual(silentSignInCodes.toSorted())
})

describe.skipIf(needsProgram('bash'))('its command', () => {
  let platform: RunningPlatform
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(() => platform.close())

  test('says that the demo’s silent sign-in can work', async () => {
    const [command = '', ...more] = shellBlocks(section)
    expect([command.split('\n', 1)[0], more]).toEqual([
      expect.stringContaining('npx usher doctor silent'),
      [],
    ])
    const said = await typeCommands(`export USHER_PORT=${platform.port}; ${command}`, platform)
    expect(said).toContain('Silent sign-in can work on http://news.acme.localhost:4100.')
    expect(said).toContain(`\n${platform.tenantUrl}/silent-sign-in/check?ticket=`)
  })
})
