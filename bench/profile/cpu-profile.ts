/** What the Profiler domain of the inspector gives, and a .cpuprofile file holds. */
export interface CpuProfile {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
  }[]
  samples: number[]
  timeDeltas: number[]
}

export interface Share {
  name: string
  /** Of the time in which the process was not idle, from 0 to 1. */
  share: number
}

interface Frame {
  functionName: string
  /** A path without the machine's part, or a name such as node:net; '' where V8 names none. */
  file: string
  line: number
}

/** Where the time went: by function, by part of the program, and how much of it was idle. */
export function readProfile(profile: CpuProfile): { functions: Share[]; parts: Share[]; idle: number } {
  const frames = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      { functionName: functionName || '(anonymous)', file: shortPath(url), line: lineNumber + 1 },
    ]),
  )
  const byFunction = new Map<string, number>()
  const byPart = new Map<string, number>()
  let total = 0
  let idle = 0
  for (const [index, id] of profile.samples.entries()) {
    const frame = frames.get(id)
    const delta = profile.timeDeltas[index] ?? 0
    total += delta
    if (!frame) continue
    if (frame.functionName === '(idle)') {
      idle += delta
      continue
    }
    const place = frame.file ? ` ${frame.file}:${frame.line}` : ''
    add(byFunction, frame.functionName + place, delta)
    add(byPart, partOf(frame), delta)
  }
  const busy = total - idle
  const shares = (times: Map<string, number>): Share[] =>
    [...times].map(([name, time]) => ({ name, share: time / busy })).toSorted((a, b) => b.share - a.share)
  return { functions: shares(byFunction), parts: shares(byPart), idle: idle / total }
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time)
}

function shortPath(url: string): string {
  const [, inside] = /.*\/(node_modules\/.+|(?:server|contract)\/src\/.+)$/.exec(url) ?? []
  return inside ?? url.replace(/^file:\/\//, '')
}

/** A package, a room of the server, or what is not JavaScript of ours. */
function partOf({ file, functionName }: Frame): string {
  const [, dependency] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
  if (dependency) return dependency
  const [, own] =
    /^((?:server|contract)\/src(?:\/[^/]+(?=\/))?(?:\/foundation\/[^/]+(?=\/))?)/.exec(file) ?? []
  if (own) return own
  if (file.startsWith('node:')) return 'Node, JavaScript part'
  if (functionName === '(garbage collector)' || functionName === '(program)') return functionName
  return 'Node and V8, native functions'
}
