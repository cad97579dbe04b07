import { consume, openEventFile } from '@usher/consumer'

// Puts the events into a file, one a line. USHER_URL, USHER_KEY and EVENTS_FILE say from where and into which.

const { USHER_URL: url = 'http://platform.localhost:3000', USHER_KEY: key = '' } = process.env
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const file = await openEventFile(process.env.EVENTS_FILE ?? 'events.ndjson')
for await (const { events } of consume({ url, key, signal: stop.signal })) {
  // On the disk when it returns. Killed before that, the batch is read again; killed after, the file knows its ids.
  const added = await file.append(events)
  console.log(`${added} events added`)
}
await file.close()
