/** Deeper than any body of ours; a parser or validator that recurses would break on it. */
const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

/** Texts that somebody could mean harm with, and that no field of ours takes as it is. */
export const hostileTexts: readonly string[] = [
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u2028',
  '\ufeff',
  '\u202e',
  '\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'toString',
  "'; drop table tenants; --",
  '$1',
  '%00',
  '%s%n',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text itself is the attack.
  '${7*7}',
  'javascript:alert(1)',
  'file:///etc/passwd',
  '\\',
  '"',
  'NaN',
  'x'.repeat(5_000),
  '😀'.repeat(50),
]

/** Values of every JSON type, at and past the edges of what is meant anywhere. */
export const wrongValues: readonly unknown[] = [
  null,
  true,
  false,
  -1,
  1.5,
  1e300,
  2 ** 53,
  -(2 ** 63),
  '',
  ' ',
  '0',
  '-1',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-05-01T25:61:61Z',
  '2026-05-01',
  '99999-01-01T00:00:00Z',
  ...hostileTexts,
  [],
  [[]],
  [null],
  {},
  { length: 1 },
  { toString: 1 },
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { constructor: { prototype: { polluted: true } } },
  deep(1_000),
]

type Container = Record<string, unknown>
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

/** The places of everything in a JSON value, the whole of it first. */
export function placesOf(value: unknown, at: readonly string[] = []): string[][] {
  const inner = isContainer(value)
    ? Object.entries(value).flatMap(([name, one]) => placesOf(one, [...at, name]))
    : []
  return [[...at], ...inner]
}

/** A copy of a JSON value with something else in one place. */
export function withValueAt(value: unknown, place: readonly string[], other: unknown): unknown {
  const [name, ...rest] = place
  if (name === undefined) return other
  const copy: Container = Array.isArray(value)
    ? ([...value] as unknown as Container)
    : { ...(value as Container) }
  // Assignment would set the prototype for a name like __proto__.
  Object.defineProperty(copy, name, {
    value: withValueAt(copy[name], rest, other),
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return copy
}
