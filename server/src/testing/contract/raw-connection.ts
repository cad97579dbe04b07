import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  status: number
  headers: Record<string, string>
  body: string
  /** From the first byte sent until the server closed the connection. */
  ms: number
}

/** Reads the first final answer of what a connection sent. */
function parse(text: string): Omit<RawAnswer, 'ms'> {
  const final = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
  const [head = '', ...rest] = final.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  }
}

/** Writes pieces to a port of this machine, one after the other with a pause, and reads until the server closes
 *  the connection; throws when it has not after `patienceMs`. */
export async function sendRaw(
  port: number,
  pieces: readonly (string | Buffer)[],
  { pauseMs = 0, patienceMs = 5_000 } = {},
): Promise<RawAnswer> {
  const begunMs = performance.now()
  const socket = connect(port, '127.0.0.1')
  const received: Buffer[] = []
  const closed = Promise.withResolvers<void>()
  socket.on('data', (piece: Buffer) => received.push(piece))
  // A server that closes before it has read everything resets the connection; the answer counts.
  socket.on('error', () => {})
  socket.on('close', () => closed.resolve())
  const impatience = setTimeout(() => {
    closed.reject(new Error(`The connection is still open after ${patienceMs} ms.`))
    socket.destroy()
  }, patienceMs)
  const write = async () => {
    for (const piece of pieces) {
      if (socket.destroyed) return
      socket.write(piece)
      if (pauseMs > 0) await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
  try {
    await Promise.all([write(), closed.promise])
  } finally {
    clearTimeout(impatience)
  }
  return { ...parse(Buffer.concat(received).toString()), ms: performance.now() - begunMs }
}
