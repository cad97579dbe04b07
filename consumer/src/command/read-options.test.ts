import { describe, expect, test } from 'vitest'
import { readOptions } from './read-options.ts'

const given = ['--url', 'https://members.example', '--key', 'k']

describe('the options of the command', () => {
  test('have defaults', () => {
    expect(readOptions(given, {})).toEqual({
      url: 'https://members.example',
      key: 'k',
      follow: false,
      out: undefined,
      queue: 'events',
      limit: 10_000,
      isQuiet: false,
    })
  })

  test('can all be given', () => {
    const args = ['--follow', '--out', 'a.ndjson', '--queue=heartbeats', '--limit', '500', '--quiet']
    expect(readOptions([...given, ...args], {})).toMatchObject({
      follow: true,
      out: 'a.ndjson',
      queue: 'heartbeats',
      limit: 500,
      isQuiet: true,
    })
  })

  test('take address and key from the environment, where the command line has none', () => {
    const env = { USHER_URL: 'https://other.example', USHER_KEY: 'secret' }
    expect(readOptions([], env)).toMatchObject({ url: 'https://other.example', key: 'secret' })
    expect(readOptions(given, env)).toMatchObject({ url: 'https://members.example', key: 'k' })
  })

  test.for([['--help'], ['-h'], ['--help', '--limit', '0']])('are none where help is wanted: %j', args => {
    expect(readOptions(args, {})).toBeUndefined()
  })

  test('are refused with every problem at once', () => {
    const read = () => readOptions(['--limit', '10001', '--queue', 'jobs', '--out', ''], {})
    expect(read).toThrow(/--url or USHER_URL.*\n--key or USHER_KEY.*\n--out.*\n--queue.*\n--limit/)
  })

  test.for(['0', '10001', '-1', '1.5', 'all', ''])('know no limit of %j', limit => {
    expect(() => readOptions([...given, `--limit=${limit}`], {})).toThrow('--limit must be')
  })

  test('are refused where one is unknown', () => {
    expect(() => readOptions([...given, '--folow'], {})).toThrow(/--folow/)
    expect(() => readOptions([...given, 'events.ndjson'], {})).toThrow(/events\.ndjson/)
  })
})
