import { once } from 'node:events'
import type { Child } from '../process/children.ts'

/** The inspector of a Node process: calls of the DevTools protocol. */
export interface Inspector {
  call<T>(method: string, params?: Record<string, unknown>): Promise<T>
  close(): void
}

interface Message {
  id: number
  result?: unknown
  error?: { message: string }
}

/** Connects to a process that was started with `--inspect=127.0.0.1:0` and has said where it listens. */
export async function openInspector(child: Child): Promise<Inspector> {
  const [address] = /ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]+/.exec(child.firstLines()) ?? []
  if (address === undefined)
    throw new Error(`the process did not say where its inspector is:\n${child.lastLines()}`)
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Message
    if (error) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  return {
    call<T>(method: string, params: Record<string, unknown> = {}): Promise<T> {
      const answer = Promise.withResolvers<unknown>()
      waiting.set(++lastId, answer)
      socket.send(JSON.stringify({ id: lastId, method, params }))
      return answer.promise as Promise<T>
    },
    close: () => socket.close(),
  }
}
