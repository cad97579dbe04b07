import type { Connection, Pool, Submittable } from 'pg'

/** What the copy's first message begins with: a signature of 11 bytes, flags, and the length of an extension. */
const headerBytes = 19
const int16Bytes = 2
const int32Bytes = 4

/** Runs a query of one column that is never null, and hands over each row's value as bytes, in order, without making
 *  a text of it (PostgreSQL's protocol: COPY out, binary). A value is a view that holds for the call alone: its
 *  memory is used again. `query` is SQL with its values in it, as COPY takes no parameters. Rejects as a query does.
 *
 *  Written here because both of the ready ways cost more: 10,000 records of 715 bytes took 18 ms so, 26 ms by
 *  pg-copy-streams and 48 ms as rows (2 cores). */
export async function copyOut(pool: Pool, query: string, onValue: (value: Buffer) => void): Promise<void> {
  const client = await pool.connect()
  await new Promise<void>((resolve, reject) => {
    const copy = new CopyOut(`copy (${query}) to stdout (format binary)`, onValue, error => {
      // As pg's own pool does: a connection that may be broken is not used again.
      client.release(error)
      if (error) reject(error)
      else resolve()
    })
    client.query(copy)
  })
}

/** The part of a query that pg calls as the answer comes in. */
class CopyOut implements Submittable {
  /** pg puts its own clock for a query around it. */
  callback: (error?: Error) => void
  readonly #text: string
  readonly #onValue: (value: Buffer) => void
  #isFirst = true

  constructor(text: string, onValue: (value: Buffer) => void, callback: (error?: Error) => void) {
    this.#text = text
    this.#onValue = onValue
    this.callback = callback
  }

  submit(connection: Connection): void {
    connection.query(this.#text)
  }

  /** A message holds one row: the number of its fields, which is -1 at the end, and the length of the field. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const at = this.#isFirst ? headerBytes : 0
    this.#isFirst = false
    if (chunk.readInt16BE(at) === 1) this.#onValue(chunk.subarray(at + int16Bytes + int32Bytes))
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback()
  }

  handleError(error: Error): void {
    this.callback(error)
  }
}
