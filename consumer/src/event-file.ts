import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { EventRecord } from './event-record.ts'

/** A file with an event a line, as JSON, that survives a kill at any moment. */
export interface EventFile {
  /**
   * Adds events, but for those among the last 10,000 that it holds, and gives how many were new. When it returns they are on
   * the disk. Throws when they cannot be written, and then none of them stays.
   */
  append(events: readonly EventRecord[]): Promise<number>
  close(): Promise<void>
}

/** As many as one read can hold: what was written and not removed is never more. */
const remembered = 10_000
const blockBytes = 1024 * 1024
const recordsPerWrite = 1_000
const lineEnd = 0x0a

/**
 * Opens a file for events, and makes it where there is none. What a kill left behind is put right: a torn last line is cut
 * off, as its event is still in the queue, and the last events are remembered, so that those which are read again are not
 * written again. One process at a time.
 */
export async function openEventFile(path: string): Promise<EventFile> {
  const file = await open(path, 'a+', 0o600)
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a file`)
    const { endsAt, lines, torn } = await readLastLines(file)
    const ids = lines.map(idOf).filter(id => id !== undefined)
    // Else the wrong file would lose its end.
    if ((lines.length > 0 && !ids.length) || (torn !== '' && torn !== '{'))
      throw new Error(`${path} holds something else than events`)
    await file.truncate(endsAt)
    // Its name has to survive a power cut too.
    await syncFolder(dirname(path))
    return appendTo(file, path, endsAt, new Set(ids))
  } catch (error) {
    await file.close()
    throw error
  }
}

function appendTo(file: FileHandle, path: string, startsAt: number, recent: Set<string>): EventFile {
  let size = startsAt

  async function write(events: readonly EventRecord[]): Promise<void> {
    const { size: found } = await file.stat()
    if (found !== size)
      throw new Error(`${path} has ${found} bytes and not ${size}: another process writes to it`)
    try {
      let written = 0
      for (let from = 0; from < events.length; from += recordsPerWrite) {
        const lines = events.slice(from, from + recordsPerWrite).map(event => `${JSON.stringify(event)}\n`)
        const bytes = Buffer.from(lines.join(''))
        await file.appendFile(bytes)
        written += bytes.length
      }
      await file.datasync()
      size += written
    } catch (error) {
      // A part would be read again, and be written again then.
      await file.truncate(size).catch(() => {})
      throw error
    }
  }

  return {
    async append(events) {
      const fresh = events.filter(({ id }) => !recent.has(id))
      if (fresh.length === 0) return 0
      await write(fresh)
      for (const { id } of fresh) recent.add(id)
      // A set gives its members in the order in which they came.
      for (const id of recent) {
        if (recent.size <= remembered) break
        recent.delete(id)
      }
      return fresh.length
    },
    close: () => file.close(),
  }
}

interface LastLines {
  /** Where the last whole line ends. */
  endsAt: number
  /** As many as are remembered at most. */
  lines: string[]
  /** How what follows them begins: one character, or none. */
  torn: string
}

/** Reads a file from its end. */
async function readLastLines(file: FileHandle): Promise<LastLines> {
  const { size } = await file.stat()
  const blocks: Buffer[] = []
  let count = 0
  for (let at = size; at > 0 && count <= remembered; ) {
    const block = Buffer.alloc(Math.min(blockBytes, at))
    at -= block.length
    await file.read(block, 0, block.length, at)
    blocks.unshift(block)
    for (const byte of block) if (byte === lineEnd) count++
  }
  const bytes = Buffer.concat(blocks)
  const end = bytes.lastIndexOf(lineEnd) + 1
  return {
    endsAt: size - bytes.length + end,
    lines:
      end === 0
        ? []
        : bytes
            .toString('utf8', 0, end - 1)
            .split('\n')
            .slice(-remembered),
    torn: bytes.toString('latin1', end, end + 1),
  }
}

function idOf(line: string): string | undefined {
  try {
    const { id } = JSON.parse(line)
    return typeof id === 'string' ? id : undefined
  } catch {
    // Not one of ours.
    return undefined
  }
}

async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined
  try {
    folder = await open(path, 'r')
    await folder.sync()
  } catch (error) {
    // Windows opens no folders.
    if (process.platform !== 'win32') throw error
  } finally {
    await folder?.close()
  }
}
