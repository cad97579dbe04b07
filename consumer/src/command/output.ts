import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { openEventFile } from '../event-file.ts'
import type { EventRecord } from '../event-record.ts'

/** Where the command puts events. */
export interface Output {
  /** Gives how many it wrote: not those which were written before. When it returns they are where they belong. */
  write(events: readonly EventRecord[]): Promise<number>
  close(): Promise<void>
}

const recordsPerWrite = 1_000

/** A file, or the standard output where none is named. */
export async function openOutput(path: string | undefined, stdout: Writable): Promise<Output> {
  if (path === undefined) return streamOutput(stdout)
  const file = await openEventFile(path)
  return { write: events => file.append(events), close: () => file.close() }
}

function streamOutput(stream: Writable): Output {
  let failure: Error | undefined
  stream.on('error', error => {
    failure = error
  })
  return {
    async write(events) {
      for (let from = 0; from < events.length; from += recordsPerWrite) {
        const lines = events.slice(from, from + recordsPerWrite).map(event => `${JSON.stringify(event)}\n`)
        // Each waits until the system has taken it: what is read from a pipe slowly is also read from the queue slowly.
        await new Promise<void>((resolve, reject) => {
          stream.write(lines.join(''), error => (error ? reject(error) : resolve()))
        })
        if (failure) throw failure
      }
      return events.length
    },
    async close() {
      if (stream.writableNeedDrain && !failure) await once(stream, 'drain')
    },
  }
}
