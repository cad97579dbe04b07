import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readSettings } from './read-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'usher-consumer-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the consumer’s settings', () => {
  test('come from the environment', () => {
    expect(readSettings({ USHER_URL: 'https://usher.example', USHER_KEY: 'k' })).toEqual({
      url: 'https://usher.example',
      key: 'k',
    })
  })

  test('are those of the demo where the environment has none', () => {
    writeFileSync(join(folder, 'demo.json'), JSON.stringify({ tenant: { consumerKey: 'usher_org_demo' } }))
    expect(readSettings({ USHER_DATA_DIR: folder })).toEqual({
      url: 'http://platform.localhost:3000',
      key: 'usher_org_demo',
    })
  })

  test.for([
    ['no file', { USHER_DATA_DIR: '/nonexistent' }, 'set USHER_KEY, or start the platform here first'],
    ['an address that is none', { USHER_URL: 'platform', USHER_KEY: 'k' }, 'USHER_URL must be'],
    ['another protocol', { USHER_URL: 'ftp://platform', USHER_KEY: 'k' }, 'USHER_URL must be'],
  ] as const)('with %s say what to set', ([, env, message]) => {
    expect(() => readSettings(env)).toThrow(message)
  })
})
