import { endChild, nextMessage, startWorker } from '../process/children.ts'
import type { CodeServer } from './code-server.ts'

/** What a rival's process is told. */
export type RivalOrder = { start: { databaseUrl: string; isOpenId: boolean } } | { makeCodes: number }
/** And what it says. */
export type RivalAnswer = { port: number; path: string } | { codes: string[] }

const patienceMs = 60_000

/** Starts a rival in a process of its own, on a database of its own where it wants one. `isOpenId`: its codes are for
 *  id_tokens too. */
export async function startRival(
  name: string,
  file: URL,
  { databaseUrl, isOpenId }: { databaseUrl: string; isOpenId: boolean },
): Promise<CodeServer> {
  const child = startWorker(file)
  const order = async (said: RivalOrder): Promise<RivalAnswer> => {
    child.process.send(said)
    return nextMessage<RivalAnswer>(child, patienceMs)
  }
  const started = await order({ start: { databaseUrl, isOpenId } })
  if (!('port' in started)) throw new Error(`${name} did not start`)
  return {
    name,
    host: '127.0.0.1',
    ...started,
    async makeCodes(count) {
      const made = await order({ makeCodes: count })
      if (!('codes' in made)) throw new Error(`${name} made no codes`)
      return made.codes
    },
    stop: () => endChild(child),
  }
}

/** Runs a rival in this process, as its parent orders. */
export function serveOrders(rival: {
  start(options: { databaseUrl: string; isOpenId: boolean }): Promise<{ port: number; path: string }>
  makeCodes(count: number): Promise<string[]>
}): void {
  process.on('message', (order: RivalOrder) => {
    const answered: Promise<RivalAnswer> =
      'start' in order
        ? rival.start(order.start)
        : rival.makeCodes(order.makeCodes).then(codes => ({ codes }))
    answered.then(
      answer => process.send?.(answer),
      error => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  process.on('disconnect', () => process.exit(0))
}
