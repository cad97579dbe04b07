import { consume } from '../consume.ts'
import { openOutput } from './output.ts'
import { startProgress } from './progress.ts'
import { type CommandOptions, readOptions, usage } from './read-options.ts'
import { watchParent } from './watch-parent.ts'

// usher-consume: reads the queue into a file or to the standard output, and removes what it has written.

const stop = new AbortController()
// Once: a second Ctrl-C ends the process even where something hangs.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
watchParent(process, () => stop.abort())

async function run({ out, follow, isQuiet, ...queue }: CommandOptions): Promise<void> {
  const output = await openOutput(out, process.stdout)
  const progress = startProgress(process.stderr, isQuiet, () => performance.now())
  progress.say(`Reading the ${queue.queue} of ${queue.url}${follow ? '; Ctrl-C stops' : ''}.`)
  let isAway = false
  const batches = consume({
    ...queue,
    signal: stop.signal,
    untilEmpty: !follow,
    onTrouble(error) {
      // Once for each outage, and not for each attempt.
      if (error && !isAway) progress.say(`Waiting, as ${error.message}`)
      if (!error) progress.say('Going on.')
      isAway = error !== undefined
    },
  })
  try {
    for await (const { events, count } of batches) {
      const written = await output.write(events)
      progress.add(count, count - written)
    }
  } finally {
    await output.close()
    progress.end()
  }
}

function fail(error: unknown, exitCode: number): void {
  const isReaderGone = error instanceof Error && 'code' in error && error.code === 'EPIPE'
  const message = error instanceof Error ? error.message : String(error)
  console.error(
    isReaderGone ? 'Nobody reads the output any more; what was not taken stays in the queue.' : message,
  )
  process.exitCode = exitCode
}

let options: CommandOptions | undefined
try {
  options = readOptions(process.argv.slice(2), process.env)
  if (!options) console.log(usage)
} catch (error) {
  fail(error, 2)
  console.error('\nusher-consume --help tells more.')
}
if (options) await run(options).catch(error => fail(error, 1))
