/** A line of the table: what was to be reached and what was seen. */
export interface Finding {
  what: string
  target: string
  seen: string
  rival: string
  ratio: string
  isMet: boolean
}

/** The findings as a Markdown table. */
export function findingsTable(findings: readonly Finding[]): string {
  const rows = [
    ['what', 'target', 'seen', 'ratio', 'rival in the same run', 'met'],
    ...findings.map(({ what, target, seen, ratio, rival, isMet }) => [
      what,
      target,
      seen,
      ratio,
      rival,
      isMet ? 'yes' : '**no**',
    ]),
  ]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join(
    '\n',
  )
}

/** A number for people: 12,345 or 12.3. */
export function show(value: number, digits = 0): string {
  return Number.isNaN(value)
    ? '?'
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
