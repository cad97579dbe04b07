/** How many letters have to be added, taken away or replaced to make one text of another (Levenshtein). */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1]
    for (let at = 0; at < other.length; at++) {
      const replaced = (above[at] ?? 0) + (letter === other[at] ? 0 : 1)
      current.push(Math.min(replaced, (above[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1))
    }
    above = current
  }
  return above[other.length] ?? 0
}

/** As long as any name that is asked for can be; a longer text is near to none. */
const MAX_LENGTH = 253
const MAX_NEAR = 3

/** The names that somebody who wrote `wanted` could have meant, the nearest first: up to two letters off, or one in
 *  three of a short one, in any case. */
export function findNear(wanted: string, names: readonly string[]): string[] {
  if (wanted.length > MAX_LENGTH) return []
  const most = Math.min(2, Math.ceil(wanted.length / 3))
  return names
    .map(name => ({ name, off: distance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ off }) => off <= most)
    .toSorted((a, b) => a.off - b.off)
    .slice(0, MAX_NEAR)
    .map(({ name }) => name)
}
