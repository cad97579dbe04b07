import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url)

/** What examples/partner-app/README.md shows. */
export async function readPartnerReadme(): Promise<{ text: string; code: string }> {
  const text = await readFile(new URL('examples/partner-app/README.md', root), 'utf8')
  return { text, code: /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '' }
}

/** Starts the application of that page by a command of a shell, in a folder that has what the clone's has. Answers how to
 *  end it. */
export async function startWrittenApp(
  command: string,
  env: Record<string, string>,
): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-partner-'))
  await writeFile(join(folder, 'sign-in.mjs'), (await readPartnerReadme()).code)
  for (const name of ['node_modules', 'examples'])
    await symlink(fileURLToPath(new URL(name, root)), join(folder, name), 'junction')
  const app = startCommand(command, { cwd: folder, env })
  return async () => {
    await app.end()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Starts a command of a shell, and with it whatever it starts. */
export function startCommand(
  command: string,
  { cwd = fileURLToPath(root), env }: { cwd?: string; env: Record<string, string> },
): { stdout: () => string; end: () => Promise<void> } {
  const shell = spawn('bash', ['-euc', command], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    // A group, to be ended as one.
    detached: true,
  })
  let text = ''
  shell.stdout.on('data', chunk => {
    text += chunk
  })
  const over = once(shell, 'close')
  return {
    stdout: () => text,
    async end() {
      if (shell.exitCode === null && shell.signalCode === null) process.kill(-(shell.pid ?? 0))
      await over
    },
  }
}
