import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/** What somebody writes who has installed the package. */
const program = `
import { consume, runConsumer, openEventFile, QueueError, PoisonousBatch } from '@usher/consumer'
import type { Batch, EventRecord, RunOptions } from '@usher/consumer'

export async function main(options: RunOptions): Promise<void> {
  const file = await openEventFile('events.ndjson')
  for await (const { events, count } of consume(options)) {
    const added: number = await file.append(events)
    const first: EventRecord | undefined = events[0]
    const member: string | null | undefined = first?.audience_member_id
    const at: string | undefined = first?.occurred_at
    console.log(added, count, member, at, first?.properties?.['a'])
  }
  await runConsumer({ ...options, onPoison: (batch: Batch) => (batch.count > 1 ? 'skip' : 'stop') })
}
export const isKnown = (error: unknown): boolean => error instanceof QueueError || error instanceof PoisonousBatch
`
/** And what he must not get away with. */
const mistakes = `
import { consume } from '@usher/consumer'
// @ts-expect-error: there is no key.
consume({ url: 'https://members.example' })
for await (const { events } of consume({ url: '', key: '' })) {
  // @ts-expect-error: events have no such field.
  events[0]?.usr
  // @ts-expect-error: it may be null.
  events[0]?.audience_member_id.length
}
`

describe('the package @usher/consumer', () => {
  let folder: string
  let files: string[]
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-package-'))
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: join(root, 'consumer'),
    })
    const [{ filename, files: packed }] = JSON.parse(stdout)
    files = packed.map(({ path }: { path: string }) => path)
    const installed = join(folder, 'node_modules/@usher/consumer')
    await mkdir(installed, { recursive: true })
    await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed])
    await mkdir(join(folder, 'node_modules/@types'))
    for (const name of ['@types/node', 'undici-types'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'program.ts'), program)
    await writeFile(join(folder, 'mistakes.ts'), mistakes)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('holds JavaScript and types, and nothing else', () => {
    expect(files).toContain('dist/index.js')
    expect(files).toContain('dist/index.d.ts')
    expect(files).toContain('bin/usher-consume.js')
    expect(
      files.filter(path => !/^(?:package\.json|bin\/[\w-]+\.js|dist\/.+(?:\.js|\.d\.ts))$/.test(path)),
    ).toEqual([])
    expect(files.filter(path => /test|contract/.test(path))).toEqual([])
  })

  test.for(['nodenext', 'bundler'])(
    'has types that need no other package, with module resolution %s',
    async moduleResolution => {
      const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext'
      const args = ['--strict', '--noEmit', '--target', 'es2022', '--module', module]
      const checked = run(
        process.execPath,
        [
          join(root, 'node_modules/typescript/bin/tsc'),
          ...args,
          ...['--moduleResolution', moduleResolution, '--types', 'node', '--exactOptionalPropertyTypes'],
          ...['program.ts', 'mistakes.ts'],
        ],
        { cwd: folder },
      )
      await expect(checked.catch(({ stdout }) => Promise.reject(new Error(stdout)))).resolves.toMatchObject({
        stdout: '',
      })
    },
  )

  test('is loaded without any other package', async () => {
    const code = `import('@usher/consumer').then(all => console.log(Object.keys(all).sort().join()))`
    const { stdout } = await run(process.execPath, ['-e', code], { cwd: folder })
    expect(stdout).toBe('PoisonousBatch,QueueError,consume,openEventFile,runConsumer\n')
    const bin = join(folder, 'node_modules/@usher/consumer/bin/usher-consume.js')
    expect((await run(process.execPath, [bin, '--help'])).stdout).toContain('usher-consume --url')
  })
})
