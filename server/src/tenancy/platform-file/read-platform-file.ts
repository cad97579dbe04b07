import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { type Path, type Problem, showPath } from './problems.ts'

/** A platform file as it was written: its value, with the environment filled in, and where each part stands. */
export interface ReadFile {
  value: unknown
  problems: Problem[]
  /** The line of what stands at a path, or of the nearest part around it; counted from 1. */
  lineOf(path: Path): number
}

/** A file that is refused as YAML: its faults with their lines. */
export interface UnreadableFile {
  faults: { line: number; message: string }[]
}

/** More parts than any platform has; YAML's aliases could make far more out of a few lines. */
const MAX_PARTS = 500_000
const MAX_DEPTH = 50

/** Fills `${NAME}` in from the environment, and says which are not there. */
function fillIn(text: string, env: Record<string, string | undefined>): { text: string; faults: string[] } {
  const faults: string[] = []
  const filled = text.replace(/\$\{([^}]*)\}/g, (whole, name: string) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      faults.push(`names no environment variable: ${whole}`)
      return whole
    }
    const value = env[name]
    if (value === undefined) faults.push(`needs the environment variable ${name}, which is not set`)
    return value ?? whole
  })
  return { text: filled, faults }
}

/** Reads a platform file's text as YAML 1.2 (JSON is YAML too). */
export function readPlatformFile(
  text: string,
  env: Record<string, string | undefined>,
): ReadFile | UnreadableFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0)
    return {
      faults: document.errors.map(error => ({
        line: lines.linePos(error.pos[0]).line,
        message: error.message,
      })),
    }

  const lineAt = new Map<string, number>([['', 1]])
  const problems: Problem[] = []
  let parts = 0

  const markLine = (path: Path, node: Node | null): void => {
    const offset = node?.range?.[0]
    if (offset !== undefined) lineAt.set(showPath(path), lines.linePos(offset).line)
  }

  function partAt(node: unknown, path: Path): unknown {
    if (++parts > MAX_PARTS || path.length > MAX_DEPTH) {
      parts = Number.POSITIVE_INFINITY
      return undefined
    }
    if (isAlias(node)) return partAt(node.resolve(document), path)
    if (isSeq(node))
      return node.items.map((item, index) => {
        const itemPath = [...path, index]
        markLine(itemPath, item as Node | null)
        return partAt(item, itemPath)
      })
    if (isMap(node))
      return Object.fromEntries(
        node.items.map(({ key, value }) => {
          const name = String(isScalar(key) ? key.value : key)
          const fieldPath = [...path, name]
          markLine(fieldPath, key as Node | null)
          return [name, partAt(value, fieldPath)]
        }),
      )
    if (!isScalar(node)) return undefined
    if (typeof node.value !== 'string') return node.value
    const filled = fillIn(node.value, env)
    for (const message of filled.faults) problems.push({ path, message })
    if (!filled.text.isWellFormed()) problems.push({ path, message: 'holds half a character' })
    return filled.text
  }

  // An empty file declares nothing.
  const value = document.contents === null ? {} : partAt(document.contents, [])
  if (parts > MAX_PARTS)
    return { faults: [{ line: 1, message: 'this is larger than any platform; is it the right file?' }] }
  return {
    value,
    problems,
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const line = lineAt.get(showPath(path.slice(0, length)))
        if (line !== undefined) return line
      }
      return 1
    },
  }
}
