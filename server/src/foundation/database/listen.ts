import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

export interface Listener {
  /** Ends the connection; nothing is reported after it was called. */
  close(): Promise<void>
}

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5_000
/** How long a goodbye to a server that does not answer may take. */
const END_MS = 1_000

/** Listens to notifications of a channel on a connection of its own, which must be direct: a pooler in
 *  transaction mode drops LISTEN. Reconnects by itself, waiting 100 ms to 5 s. `onNotice` is called with
 *  the payload of each, and with `undefined` after each connect, since what came before was missed. */
export function listen(options: {
  url: string
  channel: string
  onNotice(payload: string | undefined): void
  /** Called when the connection is lost or cannot be made, once until it is back. */
  onLost?(error: Error): void
}): Listener {
  const closing = new AbortController()
  let delayMs = FIRST_DELAY_MS
  let lost = false
  let endConnection = () => {}

  function connected(): void {
    delayMs = FIRST_DELAY_MS
    lost = false
    options.onNotice(undefined)
  }

  /** One connection. Resolves when it was closed here, throws when it was lost. */
  async function hold(): Promise<void> {
    const client = new pg.Client({
      connectionString: options.url,
      connectionTimeoutMillis: 2_000,
      query_timeout: 2_000,
      keepAlive: true,
      application_name: `usher listen ${options.channel}`,
    })
    const ended = Promise.withResolvers<Error>()
    client.on('error', ended.resolve)
    client.on('end', () => ended.resolve(new Error('The connection ended.')))
    client.on('notification', notice => {
      if (!closing.signal.aborted) options.onNotice(notice.payload)
    })
    endConnection = () => ended.resolve(new Error('closed'))
    try {
      await client.connect()
      await client.query(`listen ${pg.escapeIdentifier(options.channel)}`)
      if (closing.signal.aborted) return
      connected()
      const error = await ended.promise
      if (!closing.signal.aborted) throw error
    } finally {
      await Promise.race([client.end().catch(() => {}), delay(END_MS, undefined, { ref: false })])
    }
  }

  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await hold()
      } catch (error) {
        if (!lost) options.onLost?.(error instanceof Error ? error : new Error(String(error)))
        lost = true
        // Half of the wait is random, so that processes do not come back in step.
        const waitMs = delayMs * (0.5 + Math.random() / 2)
        delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
        await delay(waitMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  const done = keepListening()
  return {
    async close() {
      closing.abort()
      endConnection()
      await done
    },
  }
}
