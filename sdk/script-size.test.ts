import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const MAX_GZIPPED_BYTES = 5000

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))

/** A file of the package as `npm run build` makes it. */
function build(part: 'script' | 'package'): string {
  const command = String(manifest.scripts[`build:${part}`])
  expect(command).toMatch(/^esbuild .* --outfile=/)
  // As npm runs it, but to stdout.
  const PATH = `${join(import.meta.dirname, '../node_modules/.bin')}${delimiter}${process.env.PATH}`
  const toStdout = command.replace(/ --outfile=\S+/, '')
  return execSync(toStdout, { cwd: import.meta.dirname, env: { ...process.env, PATH } }).toString()
}

const unwanted: [why: string, string | RegExp][] = [
  ['a package', 'node_modules'],
  ['what only Node knows', /\bprocess\.|\brequire\(|\bBuffer\b/],
  ['text that is run', /\beval\(|\bFunction\(|setTimeout\("/],
  ['text that is shown', /document\.write|innerHTML|insertAdjacentHTML/],
  ['a request that blocks', 'XMLHttpRequest'],
  ['what keeps a page out of the back/forward cache', /["'`](?:before)?unload["'`]/],
  ['a cookie that is written', /document\.cookie\s*=[^=]/],
  ['a second address', /https?:\/\//],
  ['a fingerprint', /canvas|getContext|\.plugins|hardwareConcurrency|deviceMemory/],
  ['what was meant for us', /sourceMappingURL|debugger|console\.log/],
]

describe('sdk.js', () => {
  const script = build('script')

  test(`is at most ${MAX_GZIPPED_BYTES} bytes gzipped`, () => {
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIPPED_BYTES)
  })

  test.for(unwanted)('is without %s', ([, pattern]) => {
    expect(script).not.toMatch(pattern)
  })

  test('keeps its names to itself', () => {
    expect(script).toMatch(/^\/\/.*\n(?:"use strict";)?\(\(\)=>\{.*\}\)\(\);\n$/s)
  })

  // Its functions are run while the page loads: compiled one by one as they are called, they take the page's time.
  test('has the browser compile it whole, beside the page', () => {
    expect(script.split('\n')[0]).toBe('//# allFunctionsCalledOnLoad')
  })

  test.for(['{{tenant_origin}}', '{{cookie_name}}'])(
    'leaves one place for the server to fill in %s',
    place => {
      expect(script.split(place)).toHaveLength(2)
    },
  )
})

describe('the package', () => {
  const code = build('package')

  test.for(unwanted)('is without %s', ([, pattern]) => {
    expect(code.replace(/^ *\/\/.*$|\/\*.*?\*\//gms, '')).not.toMatch(pattern)
  })

  test('brings its code and the types of what it exports', () => {
    const named = [manifest.exports['.'].types, manifest.exports['.'].default, manifest.exports['./sdk.js']]
    expect(manifest.files.map((file: string) => `./${file}`)).toEqual(expect.arrayContaining(named))
    expect(manifest.dependencies).toBeUndefined()
    for (const file of manifest.files)
      expect(readFileSync(join(import.meta.dirname, file), 'utf8')).not.toBe('')
    // What the types name is in the package too.
    const types = readFileSync(join(import.meta.dirname, manifest.exports['.'].types), 'utf8')
    const imported = [...types.matchAll(/from '\.\/(\w+)\.ts'/g)].map(([, name]) => `dist/${name}.d.ts`)
    expect(imported).not.toEqual([])
    expect(manifest.files).toEqual(expect.arrayContaining(imported))
  })

  test('can be imported where there is no page, and then does nothing', async () => {
    const { start } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    const usher = start({ origin: 'https://members.example.com' })
    expect([usher.track('a'), usher.flush(), usher.consent(true)]).toEqual([undefined, undefined, undefined])
  })
})
