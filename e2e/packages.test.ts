import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { needsProgram } from '../server/src/testing/needs-program.ts'
import { shellBlocks } from './shell-blocks.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))

test.skipIf(needsProgram('bash')).for([
  ['docs/consuming.md', '@usher/consumer', 'consume'],
  ['sdk/README.md', '@usher/sdk', 'start'],
])('%s tells how to install %s in a project of one’s own', async ([page = '', name = '', exported]) => {
  const commands = shellBlocks(await readFile(join(root, page), 'utf8')).filter(block =>
    block.includes('npm pack'),
  )
  expect(commands).toHaveLength(1)
  const project = await mkdtemp(join(tmpdir(), 'usher-project-'))
  onTestFinished(() => rm(project, { recursive: true, force: true }))
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_offline: 'true' }
  const command = commands[0]?.replaceAll('../my-project', project) ?? ''
  await run('bash', ['-euc', command], { cwd: root, env })
  const code = `import('${name}').then(all => console.log(typeof all.${exported}))`
  const { stdout } = await run(process.execPath, ['-e', code], { cwd: project, env })
  expect(stdout).toBe('function\n')
  if (name === '@usher/consumer')
    expect((await run('npx', ['usher-consume', '--help'], { cwd: project, env })).stdout).toContain(
      '--follow',
    )
})
