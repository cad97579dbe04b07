import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'

// Starts the platform, a publisher's site, a partner's application and a consumer in one terminal. When one ends, all do.

const names = { platform: 'cyan', site: 'yellow', partner: 'magenta', consumer: 'green' } as const
type Name = keyof typeof names

/** Between the signals of one Ctrl-C, which npm and the terminal both pass on. */
const SAME_SIGNAL_MS = 1000

const running = new Map<Name, ChildProcess>()
let exitCode: number | undefined
let stoppedAtMs = 0

function say(name: Name, line: string): void {
  console.log(`${styleText(names[name], `${name.padEnd(8)} │`, { stream: process.stdout })} ${line}`)
}

/** Starts a program, prints its lines with its name before them, and calls `onLine` with each. */
function start(name: Name, file: string, env: NodeJS.ProcessEnv = {}, onLine?: (line: string) => void): void {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Else Ctrl-C would reach it from the terminal too, and a second signal means "at once".
    detached: true,
  })
  running.set(name, child)
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', line => {
      say(name, line)
      onLine?.(line)
    })
  }
  child.on('error', error => {
    say(name, error.message)
    ended(name, 1)
  })
  child.on('close', (code, signal) => {
    if (exitCode === undefined) say(name, signal ? `ended by ${signal}` : `ended with exit code ${code}`)
    ended(name, code ?? 1)
  })
}

function ended(name: Name, code: number): void {
  running.delete(name)
  stop(code)
  if (running.size === 0) process.exit(exitCode)
}

/** Asks all programs to end; the exit code is that of the first reason. */
function stop(code: number): void {
  if (exitCode !== undefined) return
  exitCode = code
  stoppedAtMs = Date.now()
  for (const child of running.values()) child.kill('SIGTERM')
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (exitCode !== undefined && Date.now() - stoppedAtMs > SAME_SIGNAL_MS)
      for (const child of running.values()) child.kill('SIGKILL')
    stop(0)
  })
}

/** The platform is ready at `platform`: starts the others against it. */
function startOthers(platform: URL): void {
  const tenantUrl = `${platform.protocol}//members.acme.localhost${platform.port && `:${platform.port}`}`
  start('site', 'publisher-site/main.ts', { USHER_TENANT_URL: tenantUrl }, line => {
    const site = /http:\S+/.exec(line)?.[0]
    if (!site) return
    console.log(`
  Open  ${styleText('bold', site, { stream: process.stdout })}  and click around.
  What you do there appears below, as the consumer reads it from the queue and removes it. Ctrl-C stops everything.
`)
  })
  start('partner', 'partner-app/main.ts', { ISSUER: tenantUrl }, line => {
    const partner = /http:\S+/.exec(line)?.[0]
    if (!partner) return
    console.log(`
  Sign in as a member at  ${styleText('bold', partner, { stream: process.stdout })}
  with any mail address. The mail lands in  ${styleText('bold', `${platform.origin}/dev/mailbox`, { stream: process.stdout })}
  Where you are signed in is on your account page:  ${styleText('bold', `${tenantUrl}/account`, { stream: process.stdout })}
`)
  })
  start('consumer', 'consumer/main.ts', { USHER_URL: platform.origin })
}

let isReady = false
start('platform', '../server/src/main.ts', {}, line => {
  const address = /answers at (http\S+)/.exec(line)?.[1]
  if (isReady || exitCode !== undefined || !address) return
  isReady = true
  startOthers(new URL(address))
})
