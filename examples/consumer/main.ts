import { runConsumer } from '@usher/consumer'
import { describeEvent } from './describe-event.ts'
import { readSettings } from './read-settings.ts'

// Prints every event in a line, as npm run demo shows them.

const stop = new AbortController()
// Once: a second Ctrl-C ends the process even where something hangs.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

try {
  const settings = readSettings(process.env)
  console.error(`Reading the events of ${settings.url}; Ctrl-C stops.`)
  let isAway = false
  await runConsumer({
    ...settings,
    // A person is watching.
    maxEmptyWaitMs: 500,
    handle: ({ events }) => {
      for (const event of events) console.log(describeEvent(event))
    },
    onTrouble: error => {
      if (error && !isAway) console.error(`Waiting: ${error.message}`)
      if (!error) console.error('Reading again.')
      isAway = error !== undefined
    },
    signal: stop.signal,
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
