import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from './redis-url.ts'

export interface OpenRedis {
  /** Sends a command. Rejects when there is no connection, when it is lost, and when no answer came in time. */
  call(command: string, ...values: (string | number)[]): Promise<unknown>
  /** Whether a command can be sent now. */
  isReady(): boolean
  close(): void
}

/** How long an answer is waited for. Longer than a pause of this process for its garbage. */
const answerMs = 250
const connectMs = 1_000
const maxRetryMs = 1_000

const retryMs = (times: number): number => Math.min(50 * 2 ** Math.min(times, 5), maxRetryMs)

/** Opens a connection to Redis or Valkey that is never waited for: it comes by itself and comes back by itself, and a
 *  server that hangs loses it. `onFault` is told each time that it is lost or cannot be made. */
export function openRedis(address: RedisAddress, onFault: (error: Error) => void): OpenRedis {
  const { nodes, tls, username, password, database } = address
  const options = {
    connectionName: 'usher',
    // Understood by every version and every proxy.
    protocol: 2,
    connectTimeout: connectMs,
    socketTimeout: answerMs,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
  } as const
  const [first] = nodes
  const redis =
    address.kind === 'cluster'
      ? new Cluster([...nodes], {
          redisOptions: options,
          enableOfflineQueue: false,
          slotsRefreshTimeout: connectMs,
          // What a node that fails is asked anew would come too late.
          maxRedirections: 3,
          retryDelayOnFailover: 50,
          clusterRetryStrategy: retryMs,
        })
      : new Redis({ ...options, ...first, db: database, enableOfflineQueue: false, retryStrategy: retryMs })
  redis.on('error', onFault)
  return {
    call: (command, ...values) => redis.call(command, ...values),
    isReady: () => redis.status === 'ready',
    close: () => redis.disconnect(),
  }
}
