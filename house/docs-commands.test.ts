import { access, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFile(new URL(path, root), 'utf8')
const { scripts, bin } = JSON.parse(await read('package.json'))

describe.each(['README.md', 'CONTRIBUTING.md', 'docs/operating.md'])('%s', name => {
  test('names scripts, programs and files that there are', async () => {
    const page = await read(name)
    const all = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, found]) => found ?? '')
    const asked = all(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)
    const programs = all(/\bnpx (usher[\w-]*)/g)
    const paths = all(/npx vitest run ([\w./-]+)/g)
    const links = all(/\]\(([^)#:]+)[^):]*\)/g)
    expect(asked.length + programs.length).toBeGreaterThan(0)
    expect(links.length).toBeGreaterThan(0)
    expect(asked.filter(script => !(script in scripts))).toEqual([])
    expect(programs.filter(program => !(program in bin))).toEqual([])
    for (const path of paths) await access(new URL(path, root))
    for (const path of links) await access(new URL(path, new URL(name, root)))
  })
})
