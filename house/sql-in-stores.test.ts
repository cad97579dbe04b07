import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findSql } from './sql-in-stores.ts'

const root = join(import.meta.dirname, '..')
/** Where SQL has its place; tests look into the tables. */
const allowed =
  /\.store\.ts$|\.test\.ts$|\/tables\.ts$|^server\/src\/(?:testing|foundation\/database|foundation\/embedded-postgres)\//

describe('SQL stands in stores alone', () => {
  const files = globSync('server/src/**/*.ts', { cwd: root }).map(path => path.replaceAll('\\', '/'))

  test('in the server', () => {
    const elsewhere = files.filter(path => !allowed.test(path))
    expect(elsewhere.length).toBeGreaterThan(0)
    expect(elsewhere.flatMap(path => findSql(path, readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  test('and most stores are seen to hold some', () => {
    const stores = files.filter(path => path.endsWith('.store.ts'))
    const withSql = stores.filter(path => findSql(path, readFileSync(join(root, path), 'utf8')).length > 0)
    expect(withSql.length).toBeGreaterThan(stores.length / 2)
  })

  test.for([
    "db.query('select 1')",
    "db.query('select id from tenants')",
    'db.query(`\n  select id\n  from tenants`)',
    'db.query(`insert into events values ($' + '{1})`)',
    'run(`update queue_tails set last = 1`)',
    "run('delete from tenants')",
    "run('alter table events drop column url')",
    "run('with gone as (delete from x returning 1) select 1')",
    "run('set local synchronous_commit = off')",
    "run('listen jobs')",
    "const tail = base + ' where tenant_id = $1'",
    "db.selectFrom('tenants')",
    "db.withTables<Tables>().insertInto('tenants')",
  ])('%j is found', source => expect(findSql('x.ts', source)).not.toEqual([]))

  test.for([
    '// select id from tenants',
    '/** insert into events */ const a = 1',
    "throw new Error('Select a domain first.')",
    "throw new Error('Update the setting, then start again.')",
    "const method = 'DELETE'",
    "emit('listen')",
    'const from = select(one)',
  ])('%j is none', source => expect(findSql('x.ts', source)).toEqual([]))
})
