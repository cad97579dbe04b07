import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StartError } from '../start-error.ts'
import { keepSecretKey, parseSecretKeys } from './index.ts'

const a = Buffer.alloc(32, 1)
const b = Buffer.alloc(32, 2)

describe('USHER_SECRET_KEY', () => {
  test('is a key, or a list of keys, the newest first', () => {
    expect(parseSecretKeys(a.toString('base64'))).toEqual([a])
    expect(parseSecretKeys(`${b.toString('base64')}, ${a.toString('base64')}`)).toEqual([b, a])
  })

  test.for([
    'short',
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    a.toString('hex'),
    a.toString('base64url'),
    `${a.toString('base64')},`,
  ])('is refused when it is %j, without being quoted', text => {
    let message = ''
    try {
      parseSecretKeys(text)
    } catch (error) {
      message = String(error)
    }
    expect(message).toMatch(/must be 32 bytes in base64/)
    expect(message).not.toContain(text)
  })
})

describe('the secret key of a data folder', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-secrets-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('is made once, for this user only, also when many processes ask for it', async () => {
    const dataDir = join(folder, 'data')
    const all = await Promise.all(Array.from({ length: 2 }, () => keepSecretKey(dataDir)))
    const [key] = all[0] ?? []
    expect(key).toHaveLength(32)
    expect(all).toEqual([[key], [key]])
    expect(await keepSecretKey(dataDir)).toEqual([key])
    expect(await readdir(dataDir)).toEqual(['secret-key'])
    expect((await stat(join(dataDir, 'secret-key'))).mode & 0o777).toBe(0o600)
  })

  test('is another in another folder', async () => {
    expect(await keepSecretKey(join(folder, 'a'))).not.toEqual(await keepSecretKey(join(folder, 'b')))
  })

  test('may be rotated by hand', async () => {
    await keepSecretKey(folder)
    const old = await readFile(join(folder, 'secret-key'), 'utf8')
    await writeFile(join(folder, 'secret-key'), `${a.toString('base64')},${old}`)
    expect(await keepSecretKey(folder)).toEqual([a, Buffer.from(old, 'base64')])
  })

  test('is not replaced when it cannot be read', async () => {
    await writeFile(join(folder, 'secret-key'), 'half a k')
    await expect(keepSecretKey(folder)).rejects.toThrow(StartError)
    await expect(keepSecretKey(folder)).rejects.toThrow(/secret-key does not hold .* Restore it/)
    expect(await readFile(join(folder, 'secret-key'), 'utf8')).toBe('half a k')
  })
})
