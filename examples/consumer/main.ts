import { setTimeout as sleep } from 'node:timers/promises'
import { consume } from './consume.ts'
import { describeEvent } from './describe-event.ts'
import { createQueueClient } from './queue-client.ts'
import { readSettings } from './read-settings.ts'

const stop = new AbortController()
// Once: a second Ctrl-C ends the process even where something hangs.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

try {
  const settings = readSettings(process.env)
  console.error(`Reading the events of ${settings.url}; Ctrl-C stops.`)
  await consume({
    queue: createQueueClient(settings),
    handle: event => console.log(describeEvent(event)),
    onTrouble: reason => console.error(reason ? `Waiting: ${reason}` : 'Reading again.'),
    wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
    random: Math.random,
    signal: stop.signal,
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
