import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const MAX_GZIPPED_BYTES = 5000

/** The script as `npm run build` makes it. */
function build(): Buffer {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
  const [program, ...args] = String(scripts.build).split(' ')
  expect(program).toBe('esbuild')
  const toStdout = args.filter(arg => !arg.startsWith('--outfile='))
  const esbuild = join(import.meta.dirname, '../node_modules/.bin/esbuild')
  return execFileSync(esbuild, toStdout, { cwd: import.meta.dirname })
}

describe('sdk.js', () => {
  const script = build()

  test(`is at most ${MAX_GZIPPED_BYTES} bytes gzipped`, () => {
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIPPED_BYTES)
  })

  test.for([
    'node_modules',
    'process.env',
    'require(',
    'eval(',
    'document.cookie',
    'document.write',
    'sourceMappingURL',
  ])('is without %s', unwanted => {
    expect(script.toString()).not.toContain(unwanted)
  })

  test('keeps its names to itself', () => {
    expect(script.toString()).toMatch(/^(?:"use strict";)?\(\(\)=>\{.*\}\)\(\);\n$/s)
  })
})
