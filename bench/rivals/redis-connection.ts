import { once } from 'node:events'
import { connect } from 'node:net'

/** What Redis answers: RESP2, of which errors are thrown. */
export type Reply = string | number | null | Reply[]

/** A connection to a Redis server, one command at a time. */
export interface RedisConnection {
  command(...parts: readonly (string | number)[]): Promise<Reply>
  close(): void
}

/** Where a reply was not read to its end. */
const incomplete = Symbol('incomplete')

/** Connects to the Unix socket of a Redis server. */
export async function connectToRedis(socketPath: string): Promise<RedisConnection> {
  const socket = connect(socketPath)
  await once(socket, 'connect')
  // Large replies come in many chunks; they are put together here, so that each byte is copied once.
  let bytes = Buffer.allocUnsafe(64 * 1024)
  let length = 0
  let waiting: PromiseWithResolvers<Reply> | undefined
  let resume: Progress = { at: 0, open: [] }

  socket.on('data', chunk => {
    if (length + chunk.length > bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (length + chunk.length))
      bytes.copy(larger, 0, 0, length)
      bytes = larger
    }
    chunk.copy(bytes, length)
    length += chunk.length
    try {
      const reply = readReply(bytes, length, resume)
      if (reply === incomplete) return
      length = 0
      resume = { at: 0, open: [] }
      waiting?.resolve(reply)
    } catch (error) {
      waiting?.reject(error)
    }
  })
  socket.on('error', error => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('Redis closed the connection')))

  return {
    command(...parts) {
      waiting = Promise.withResolvers()
      const texts = parts.map(String)
      socket.write(
        `*${texts.length}\r\n${texts.map(text => `$${Buffer.byteLength(text)}\r\n${text}\r\n`).join('')}`,
      )
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

/** How far a reply was read: lists that are open, outermost first. */
interface Progress {
  at: number
  open: { items: Reply[]; size: number }[]
}

function readReply(bytes: Buffer, length: number, progress: Progress): Reply | typeof incomplete {
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', progress.at)
    if (lineEnd < 0 || lineEnd + 2 > length) return incomplete
    const kind = bytes[progress.at]
    const line = bytes.toString('latin1', progress.at + 1, lineEnd)
    let next = lineEnd + 2
    let reply: Reply
    if (kind === 0x24 && line !== '-1') {
      const textEnd = next + Number(line)
      if (textEnd + 2 > length) return incomplete
      reply = bytes.toString('utf8', next, textEnd)
      next = textEnd + 2
    } else if (kind === 0x2a && Number(line) > 0) {
      progress.open.push({ items: [], size: Number(line) })
      progress.at = next
      continue
    } else if (kind === 0x2a) reply = []
    else if (kind === 0x3a) reply = Number(line)
    else if (kind === 0x2b) reply = line
    else if (kind === 0x2d) throw new Error(`Redis: ${line}`)
    else reply = null
    progress.at = next
    for (;;) {
      const list = progress.open.at(-1)
      if (!list) return reply
      list.items.push(reply)
      if (list.items.length < list.size) break
      progress.open.pop()
      reply = list.items
    }
  }
}
