import { ChildProcess } from 'node:child_process'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

// Set up before every test file: what would keep the process alive after the file's last hook has been
// leaked by it. Unreferenced timers and idle keep-alive sockets do not count, as they keep nothing alive.

/** How often to look, and the pause between: closing takes a moment, and so does the runner's own timer. */
const looks = 100
const pauseMs = 20

// Opened lazily otherwise, in the middle of a test that prints.
void [process.stdin, process.stdout, process.stderr]

/** What comes and goes by itself, or belongs to the runner. */
const passing = /^(?:Immediate|TickObject|FSReq|FileHandle|CloseReq|MessagePort|TTYWrap|GetAddrInfoReqWrap)/

function alive(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo())
    if (!passing.test(type)) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

function leaked(): string[] {
  return [...alive()].flatMap(([type, count]) => {
    const more = count - (before.get(type) ?? 0)
    return more > 0 ? [`${more} ${type}`] : []
  })
}

/** Says of servers, sockets and child processes which they are. */
function describeHandles(): string[] {
  // Not public, and good enough to help: without it only the counts are told.
  const { _getActiveHandles: handles } = process as { _getActiveHandles?: () => unknown[] }
  return (handles?.call(process) ?? []).flatMap(handle => {
    if (handle instanceof net.Server) return [`server on ${JSON.stringify(handle.address())}`]
    if (handle instanceof ChildProcess) return [`process ${handle.pid} ${handle.spawnfile}`]
    if (handle instanceof net.Socket && handle.remotePort)
      return [`connection ${handle.localPort} → ${handle.remotePort}`]
    return []
  })
}

// Taken while the file is being set up: by the first hook the runner has a short timer of its own.
const before = alive()

// After-hooks run last in, first out, so this one comes after all of the file's own.
afterAll(async () => {
  for (let look = 0; look < looks; look++) {
    if (leaked().length === 0) return
    // Referenced by nothing, so that the wait itself is not seen.
    await sleep(pauseMs, undefined, { ref: false })
  }
  const details = describeHandles()
  throw new Error(
    `This file leaves open: ${leaked().join(', ')}${details.length > 0 ? ` (${details.join('; ')})` : ''}. Close it in a hook.`,
  )
}, 30_000)
