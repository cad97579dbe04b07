import { copyFile, open, rename, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

/** Two files of this size at most. */
const LOG_MAX_BYTES = 16 * 1024 * 1024

/** PostgreSQL's own log in the data folder. */
export interface ServerLog {
  file: string
  /** The size now: where the lines of a server that is started next begin. */
  sizeBytes(): Promise<number>
  /** What was last said from that place on, errors first, in one line. */
  lastWords(fromBytes: number): Promise<string>
  /** Keeps the file small while a server writes to it. */
  limit(): Promise<void>
}

/** Opens the log; what an earlier run wrote moves to `postgres.log.1`. */
export async function openServerLog(dataDir: string, keep: boolean): Promise<ServerLog> {
  const file = join(dataDir, 'postgres.log')
  const older = `${file}.1`
  const sizeBytes = () =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    )
  if (!keep && (await sizeBytes()) > 0) await rename(file, older)

  async function textFrom(fromBytes: number): Promise<string> {
    const size = await sizeBytes()
    const start = Math.max(fromBytes, size - 64 * 1024)
    if (size <= start) return ''
    const handle = await open(file, 'r')
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  }

  return {
    file,
    sizeBytes,
    async lastWords(fromBytes) {
      const lines = (await textFrom(fromBytes)).split('\n').filter(line => line.trim() !== '')
      const errors = lines.filter(line => /(?:ERROR|FATAL|PANIC|HINT|DETAIL|error while loading)/.test(line))
      const words = (errors.length > 0 ? errors : lines).slice(-4)
      return words
        .map(line => line.replace(/^[-\d]+ [:.\d]+ \w+ \[\d+\] /, '').trim())
        .join(' ')
        .replaceAll(/\s+/g, ' ')
    },
    async limit() {
      if ((await sizeBytes()) <= LOG_MAX_BYTES) return
      // The server appends to the file that it has open, so the file is emptied rather than moved.
      await copyFile(file, older)
      await truncate(file)
    },
  }
}
