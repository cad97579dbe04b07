import { connect, type Socket } from 'node:net'
import { type Answer, responseReader } from './response-reader.ts'

/** One keep-alive connection with at most one request outstanding. */
export interface Connection {
  /** Sends a request; its bytes may not change before the answer. */
  send(bytes: Buffer): void
  /** When the outstanding request was sent, in ms of `performance.now()`; undefined when there is none. */
  sentAtMs: number | undefined
  close(): void
}

const readBytes = 16 * 1024

/** Opens a connection. `onFault` is called at most once, when it cannot go on. */
export function openConnection(
  port: number,
  onAnswer: (answer: Answer, latencyMs: number, connection: Connection) => void,
  onFault: (reason: string, connection: Connection) => void,
): Promise<Connection> {
  return new Promise(resolve => {
    let ended = false
    const buffer = Buffer.allocUnsafe(readBytes)
    const read = responseReader(answer => {
      const { sentAtMs } = connection
      if (sentAtMs === undefined) throw new Error('an answer without a request')
      connection.sentAtMs = undefined
      onAnswer(answer, performance.now() - sentAtMs, connection)
    })
    function fail(reason: string): void {
      if (ended) return
      ended = true
      socket.destroy()
      onFault(reason, connection)
    }
    const socket: Socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      // One buffer for all reads: nothing is allocated for a chunk.
      onread: {
        buffer,
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
    socket.on('error', error => fail(error.message))
    socket.on('close', () => fail('the server closed the connection'))
    socket.on('connect', () => resolve(connection))
    // A refused connection is counted as a fault, and holds nobody up.
    socket.on('error', () => resolve(connection))
  })
}
