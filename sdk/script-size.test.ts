import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))

/** A file of the package as `npm run build` makes it. */
function build(part: 'script' | 'package' | 'sign-in-script' | 'sign-in-package'): string {
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

/** Sign-in forgets the cookie when somebody signs out, and writes none. */
const unwantedInSignIn = unwanted.map(([why, pattern]): (typeof unwanted)[number] =>
  why === 'a cookie that is written'
    ? [
        'a cookie that is written but to forget it',
        /document\.cookie\s*=\s*(?!`\$\{\w+\}=; Path=\/; Max-Age=0)[^=]/,
      ]
    : [why, pattern],
)

describe.for([
  {
    file: 'sdk.js',
    script: build('script'),
    maxBytes: 5000,
    not: unwanted,
    places: ['{{tenant_origin}}', '{{cookie_name}}'],
  },
  {
    file: 'sdk-sign-in.js',
    script: build('sign-in-script'),
    maxBytes: 3000,
    not: unwantedInSignIn,
    places: ['{{tenant_origin}}', '{{cookie_name}}', '{{cookie_domain}}'],
  },
])('$file', ({ script, maxBytes, not, places }) => {
  test(`is at most ${maxBytes} bytes gzipped`, () => {
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(maxBytes)
  })

  test.for(not)('is without %s', ([, pattern]) => {
    expect(script).not.toMatch(pattern)
  })

  test('keeps its names to itself', () => {
    expect(script).toMatch(/^(?:\/\/.*\n)?(?:"use strict";)?\(\(\)=>\{.*\}\)\(\);\n$/s)
  })

  test.for(places)('leaves one place for the server to fill in %s', place => {
    expect(script.split(place)).toHaveLength(2)
  })
})

test('sdk.js has the browser compile it whole, beside the page: its functions are run while the page loads', () => {
  expect(build('script').split('\n')[0]).toBe('//# allFunctionsCalledOnLoad')
})

const bare = (code: string) => code.replace(/^ *\/\/.*$|\/\*.*?\*\//gms, '')

describe.for([
  { door: '.', folder: 'dist', code: build('package'), not: unwanted },
  { door: './sign-in', folder: 'dist/sign-in', code: build('sign-in-package'), not: unwantedInSignIn },
])('the package at $door', ({ door, folder, code, not }) => {
  test.for(not)('is without %s', ([, pattern]) => {
    expect(bare(code)).not.toMatch(pattern)
  })

  test('brings its code and the types of what it exports', () => {
    const files: string[] = manifest.files
    const { types, default: main } = manifest.exports[door]
    expect(files.map(file => `./${file}`)).toEqual(
      expect.arrayContaining([
        types,
        main,
        manifest.exports['./sdk.js'],
        manifest.exports['./sdk-sign-in.js'],
      ]),
    )
    expect(manifest.dependencies).toBeUndefined()
    for (const file of files) expect(readFileSync(join(import.meta.dirname, file), 'utf8')).not.toBe('')
    // What the types name is in the package too.
    const text = readFileSync(join(import.meta.dirname, types), 'utf8')
    const imported = [...text.matchAll(/from '\.\/([\w-]+)\.ts'/g)].map(
      ([, name]) => `${folder}/${name}.d.ts`,
    )
    expect(imported).not.toEqual([])
    expect(files).toEqual(expect.arrayContaining(imported))
  })
})

const load = (part: 'package' | 'sign-in-package') =>
  import(`data:text/javascript,${encodeURIComponent(build(part))}`)

describe('where there is no page, the package', () => {
  test('counts nothing', async () => {
    const { start } = await load('package')
    const usher = start({ origin: 'https://members.example.com' })
    expect([usher.track('a'), usher.flush(), usher.consent(true)]).toEqual([undefined, undefined, undefined])
  })

  test('knows nobody, and sends nobody anywhere', async () => {
    const { startSignIn } = await load('sign-in-package')
    const usher = startSignIn({ origin: 'https://members.example.com' })
    const { silentSignIn, signIn, completeSignIn, member, signOut } = usher
    expect(
      await Promise.all([
        silentSignIn({ clientId: 'news' }),
        signIn({ clientId: 'news', redirectUri: 'https://news.example.com/back' }),
        completeSignIn(),
        member(),
        signOut(),
      ]),
    ).toEqual([
      { status: 'unknown', reason: 'failed' },
      { status: 'refused', reason: 'failed' },
      { status: 'none' },
      undefined,
      false,
    ])
  })
})
