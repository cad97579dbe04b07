/** An answer to one request: all that the load generator looks at. */
export interface Answer {
  status: number
  body: string
}

const headEnd = '\r\n\r\n'

/** Puts HTTP/1.1 answers with a Content-Length together from what a connection reads, one request being
 *  outstanding at a time. Throws on anything else. */
export function responseReader(onAnswer: (answer: Answer) => void): (chunk: Buffer, length: number) => void {
  let text = ''
  return (chunk, length) => {
    const read = chunk.toString('latin1', 0, length)
    text = text === '' ? read : text + read
    const end = text.indexOf(headEnd)
    if (end < 0) return
    const found = /\r\ncontent-length: *(\d+)/i.exec(text)
    if (!found || found.index > end) throw new Error('an answer without Content-Length')
    const total = end + headEnd.length + Number(found[1])
    if (text.length < total) return
    if (text.length > total) throw new Error('more bytes than the answer announced')
    const answer = { status: Number(text.slice(9, 12)), body: text.slice(end + headEnd.length) }
    text = ''
    onAnswer(answer)
  }
}
