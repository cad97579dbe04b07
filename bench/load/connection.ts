import { connect } from 'node:net'
import { type Answer, responseReader } from './response-reader.ts'

/** One keep-alive connection with at most one request outstanding. */
export interface Connection {
  /** Sends a request; its bytes may not change before the answer. */
  send(bytes: Buffer): void
  /** When the outstanding request was sent, in ms of `performance.now()`; undefined when there is none. */
  sentAtMs: number | undefined
  close(): void
}

export interface ConnectionEvents {
  onAnswer(answer: Answer, latencyMs: number, connection: Connection): void
  /** At most once, when the connection cannot go on or cannot be made. */
  onFault(reason: string, connection: Connection): void
}

const readBytes = 16 * 1024

/** Opens a connection to a port of this machine; undefined when that failed. */
export function openConnection(
  port: number,
  { onAnswer, onFault }: ConnectionEvents,
): Promise<Connection | undefined> {
  const opening = Promise.withResolvers<Connection | undefined>()
  let ended = false
  const read = responseReader(answer => {
    const { sentAtMs } = connection
    if (sentAtMs === undefined) throw new Error('an answer without a request')
    connection.sentAtMs = undefined
    onAnswer(answer, performance.now() - sentAtMs, connection)
  })
  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    // One buffer for all reads: nothing is allocated for a chunk.
    onread: {
      buffer: Buffer.allocUnsafe(readBytes),
      callback(length, chunk) {
        try {
          read(chunk as Buffer, length)
        } catch (error) {
          fail(error instanceof Error ? error.message : String(error))
        }
        return true
      },
    },
  })
  const connection: Connection = {
    sentAtMs: undefined,
    send(bytes) {
      connection.sentAtMs = performance.now()
      socket.write(bytes)
    },
    close() {
      ended = true
      socket.destroy()
    },
  }
  function fail(reason: string): void {
    if (ended) return
    connection.close()
    onFault(reason, connection)
    opening.resolve(undefined)
  }
  socket.on('error', error => fail(error.message))
  socket.on('close', () => fail('the server closed the connection'))
  socket.on('connect', () => opening.resolve(connection))
  return opening.promise
}
