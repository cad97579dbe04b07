import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accomplices, plant, planted, sound } from './planted-house.ts'
import { checkRooms, faultsOf, type RoomsReport, ruleNames } from './rooms.ts'

const check = (root: string) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'check-rooms.ts'), root], { encoding: 'utf8' })

describe('the import rules', () => {
  const roots: string[] = []
  let soundRoot: string
  let plantedRoot: string
  let report: RoomsReport

  beforeAll(async () => {
    soundRoot = await plant(sound)
    plantedRoot = await plant({
      ...sound,
      ...accomplices,
      ...Object.fromEntries(planted.map(([, path, source]) => [path, source])),
    })
    roots.push(soundRoot, plantedRoot)
    report = await checkRooms(plantedRoot)
  })
  afterAll(() => Promise.all(roots.map(root => rm(root, { recursive: true }))))

  test('let a house pass that keeps to them', async () => {
    const sane = await checkRooms(soundRoot)
    expect(faultsOf(sane)).toEqual([])
    expect(sane.cruised.toSorted()).toEqual(Object.keys(sound).toSorted())
  })

  test.for(planted)('%s bites in %s', ([rule, path]) => {
    const biting = report.violations.filter(({ from }) => from === path).map(violation => violation.rule)
    expect(new Set(biting)).toEqual(new Set([rule]))
  })

  test('accuse nobody else', () => {
    const guilty = new Set(planted.map(([, path]) => path))
    expect(report.violations.filter(({ from }) => !guilty.has(from))).toEqual([])
  })

  // All modules are read: 48 seconds on a machine with much else to do.
  test('see the packages that they speak of, as these are really laid out', {
    timeout: 180_000,
  }, async () => {
    const { packages: seen } = await checkRooms(join(import.meta.dirname, '..'))
    // None of these would be found missing by a rule that forbids it.
    for (const name of ['fastify', 'kysely', 'pg', 'pg-boss', 'typebox'])
      expect(seen).toContainEqual(expect.stringContaining(`node_modules/${name}/`))
  })

  test('are all shown to bite', () => {
    const shown = new Set(planted.map(([rule]) => rule))
    expect(ruleNames().filter(rule => !shown.has(rule))).toEqual([])
  })

  test('end the command with an error, and name rule and files', () => {
    const { status, stderr } = check(plantedRoot)
    expect(status).toBe(1)
    expect(stderr).toContain(
      'sql-in-stores: server/src/events/write-batch.ts → node_modules/pg/dist/index.js',
    )
  })

  test('end the command with an error when no module was looked at', async () => {
    const empty = await plant({ 'server/readme.txt': '' })
    roots.push(empty)
    const { status, stderr } = check(empty)
    expect(status).toBe(1)
    expect(stderr).toContain('No module was looked at')
  })

  test('name a file that the tool passed over', () => {
    expect(faultsOf({ violations: [], cruised: ['a.ts'], unseen: ['b.ts'] })).toEqual(['Not looked at: b.ts'])
  })
})
