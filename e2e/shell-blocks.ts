import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))

/** The blocks of shell commands in a page of Markdown, in their order. */
export const shellBlocks = (markdown: string): string[] =>
  [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text ?? '')

/** Runs commands as a reader of a page would type them, in one shell, with a platform's own data folder and port.
 *  Answers what they print. Throws where one of them fails, also where curl is answered with an error. */
export async function typeCommands(
  script: string,
  { port, dataDir }: { port: number; dataDir: string },
): Promise<string> {
  const text = script
    .replaceAll(':3000', `:${port}`)
    .replaceAll('./data', dataDir)
    .replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')
  const { stdout } = await run('bash', ['-euc', text], {
    cwd: root,
    env: { ...process.env, USHER_DATA_DIR: dataDir },
  })
  return stdout
}
