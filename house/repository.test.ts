import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const binary = new Set(['.png', '.jpg', '.jpeg', '.gif', '.ico', '.webp', '.woff', '.woff2', '.gz'])

/** What git keeps, and what it would be given next; where there is no git, what lies there. */
function files(): string[] {
  try {
    const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return list.split('\0').filter(path => path !== '' && existsSync(join(root, path)))
  } catch {
    return globSync('**', {
      cwd: root,
      exclude: name => /(?:^|[\\/])(?:node_modules|dist|data|coverage|\.git)$/.test(name),
    }).filter(path => statSync(join(root, path)).isFile())
  }
}

/** Lines of a text that only hold on the machine where they were written. */
function faultyLines(text: string): string[] {
  return text.split('\n').filter(line => faults.some(fault => fault.test(line)))
}

// Put together here, so that this file does not accuse itself.
const faults = [
  // A home or working folder of one machine, as an absolute path.
  new RegExp(String.raw`(?:file://|(?<![\w.~*$})/-]))/(?:${['work', 'root', 'Users', 'home'].join('|')})/\w`),
  // The host of a package registry or mirror.
  new RegExp(
    String.raw`\b(?:${['registry', 'artifactory', 'nexus', 'verdaccio', 'npm.pkg'].join('|')})[\w-]*\.[a-z0-9-]+\.(?:[a-z]{2,})\b`,
  ),
  new RegExp(['npm', 'mirror.com'].join('')),
]

describe('no file of the repository', () => {
  test('holds a path of one machine or the host of a registry', () => {
    const seen = files()
    expect(seen).toContain('package.json')
    const accused = seen
      .filter(path => !binary.has(extname(path)))
      .flatMap(path =>
        faultyLines(readFileSync(join(root, path), 'utf8')).map(
          line => `${path}: ${line.trim().slice(0, 120)}`,
        ),
      )
    expect(accused).toEqual([])
  })
})

describe('the search for them', () => {
  test.for([
    ['cd /', 'work/main'],
    ['"file:///', 'root/x"'],
    ['see /', 'home/me/notes'],
    ['https://regis', 'try.npmjs.org/x'],
    ['https://regis', 'try.yarnpkg.com'],
    ['"resolved": "https://arti', 'factory.example.com/api"'],
  ])('finds %j', parts => expect(faultyLines(parts.join(''))).toHaveLength(1))

  test.for([
    './work/x',
    'network/worker/x',
    'https://example.com/home/page',
    'https://example.com/root/',
    'the registry. It',
    '~/work/x',
    '/api/work/x',
  ])('leaves %j alone', line => expect(faultyLines(line)).toEqual([]))
})
