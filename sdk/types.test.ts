import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const site = `
import { start, type Usher } from '@usher/sdk'
const usher: Usher = start({ origin: 'https://members.example.com', needsConsent: true, endpoint: '/news/e' })
usher.track('newsletter_opened', { edition: 'morning', first: true, stars: 4, via: null })
usher.consent(false)
`

const readText = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

describe('a site that bundles the package', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'usher-sdk-types-'))
    mkdirSync(join(folder, 'node_modules/@usher'), { recursive: true })
    symlinkSync(import.meta.dirname, join(folder, 'node_modules/@usher/sdk'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** What the compiler says; "" where all is well. */
  function compile(text: string, resolution: 'bundler' | 'nodenext'): string {
    writeFileSync(join(folder, 'site.ts'), text)
    const module = resolution === 'bundler' ? 'esnext' : 'nodenext'
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom']
    const tsc = join(import.meta.dirname, '../node_modules/typescript/bin/tsc')
    try {
      execFileSync(
        process.execPath,
        [tsc, ...options, '--module', module, '--moduleResolution', resolution, 'site.ts'],
        { cwd: folder, stdio: 'pipe' },
      )
      return ''
    } catch (error) {
      return String((error as { stdout: Buffer }).stdout)
    }
  }

  test.for(['bundler', 'nodenext'] as const)('finds its types, resolved as %s', resolution => {
    expect(compile(site, resolution)).toBe('')
  })

  test('is told of a property that the server would refuse', () => {
    expect(compile(`${site}usher.track('a', { b: {} })`, 'bundler')).toMatch(/not assignable to type/)
  })

  test.for(['bundler', 'nodenext'] as const)(
    'can take the examples of the README as they stand, resolved as %s',
    resolution => {
      const examples = [...readText('sdk/README.md').matchAll(/```ts\n(.*?)```/gs)].map(
        ([, code = '']) => code,
      )
      expect(examples.map(code => /start\w*(?=\()/.exec(code)?.[0])).toEqual(['startSignIn', 'start'])
      for (const example of examples) expect(compile(example, resolution)).toBe('')
    },
  )

  test('is told of an answer that has no code', () => {
    const page = `import { startSignIn } from '@usher/sdk/sign-in'
const answer = await startSignIn({ origin: 'https://members.example.com' }).silentSignIn({ clientId: 'news' })
`
    expect(compile(`${page}const code: string = answer.code`, 'bundler')).toMatch(/not assignable to type/)
    expect(compile(`${page}if (answer.status === 'unknown') answer.reason satisfies string`, 'bundler')).toBe(
      '',
    )
  })
})

describe('the script that stands in until the SDK is there', () => {
  const site = readText('examples/publisher-site/public/site.js')
  const standIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[0].replace(/\s+/g, ' ')

  // The example site's is the one that runs in a browser (e2e/journey.test.ts, e2e/silent).
  test.for([
    ['sdk/README.md', /window\.usher = window\.usher \|\| \{.*?\n *flush\(\) \{\},\n *\}/s],
    ['docs/sdk-privacy.md', /window\.usher = window\.usher \|\| \{.*?\n *flush\(\) \{\},\n *\}/s],
    ['sdk/README.md', /if \(!window\.usher\.member\) \{.*?if \(isOver\).*?\}\)\n *\}/s],
  ] as const)('is in %s what the example site has, %s', ([path, pattern]) => {
    expect(standIn(readText(path), pattern)).toBeTypeOf('string')
    expect(standIn(readText(path), pattern)).toBe(standIn(site, pattern))
  })
})
