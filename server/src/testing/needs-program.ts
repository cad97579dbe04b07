import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs that some tests need and npm does not bring, by the names that they go by. */
const programs = {
  bash: ['bash'],
  caddy: ['caddy'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  curl: ['curl'],
  jq: ['jq'],
  python3: ['python3'],
  nginx: ['nginx'],
  openssl: ['openssl'],
  'redis-server': ['redis-server', 'valkey-server'],
} as const

export type Program = keyof typeof programs

/** The path of a program in PATH, undefined where it is not installed. */
export function findProgram(program: Program, path = process.env.PATH ?? ''): string | undefined {
  for (const name of programs[program])
    for (const folder of path.split(delimiter)) {
      const file = join(folder, name)
      try {
        accessSync(file, constants.X_OK)
        return file
      } catch {
        // Not here; the next folder may have it.
      }
    }
  return undefined
}

/** Whether to skip the tests that need `program`, for `test.skipIf(…)`: says so where it is missing, and
 *  throws there with CI=true, where everything has to run. */
export function needsProgram(
  program: Program,
  { path, ci, say = console.warn }: { path?: string; ci?: boolean; say?: (line: string) => void } = {},
): boolean {
  if (findProgram(program, path)) return false
  const missing = `${program} is not installed (on Debian: apt-get install ${program})`
  if (ci ?? process.env.CI === 'true') throw new Error(`${missing}, and with CI=true no test is skipped.`)
  say(`${missing}: the tests that need it are skipped.`)
  return true
}
