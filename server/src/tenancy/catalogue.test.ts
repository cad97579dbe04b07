import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'

// Architecture, "Tenancy": a distributed PostgreSQL can shard by tenant without a redesign. Read from the
// catalogue, so that a new table is under the rule from its first migration.

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

interface Constraint {
  table: string
  name: string
  kind: 'p' | 'f'
  columns: string[]
  /** Of a foreign key. */
  target: string | null
  target_columns: string[] | null
}

/** The tables that have a tenant, with their primary and foreign keys. A partition is judged as its parent. */
async function readCatalogue() {
  const { rows: tables } = await database.pool.query<{ table: string; nullable: boolean }>(`
    select c.relname as table, not a.attnotnull as nullable
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition
    order by 1`)
  const { rows: constraints } = await database.pool.query<Constraint>(`
    select c.relname as table, k.conname as name, k.contype as kind, t.relname as target,
      (select array_agg(a.attname::text order by x.at) from unnest(k.conkey) with ordinality x (num, at)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.num) as columns,
      (select array_agg(a.attname::text order by x.at) from unnest(k.confkey) with ordinality x (num, at)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.num) as target_columns
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    left join pg_class t on t.oid = k.confrelid
    where k.contype in ('p', 'f') and k.conparentid = 0`)
  const names = new Set(tables.map(({ table }) => table))
  return { tables, constraints: constraints.filter(({ table }) => names.has(table)), names }
}

test('every table of a tenant has tenant_id, never null, first in its primary key', async () => {
  const { tables, constraints } = await readCatalogue()
  const names = tables.map(({ table }) => table)
  expect(names).toEqual(expect.arrayContaining(['api_keys', 'audit_entries', 'queue_tails', 'tenant_staff']))
  expect(tables.filter(({ nullable }) => nullable)).toEqual([])
  const primary = new Map(
    constraints.filter(({ kind }) => kind === 'p').map(({ table, columns }) => [table, columns]),
  )
  expect(names.filter(table => primary.get(table)?.[0] !== 'tenant_id')).toEqual([])
})

test('every foreign key of such a table to another has tenant_id first, on both sides', async () => {
  const { constraints, names } = await readCatalogue()
  const foreign = constraints.filter(({ kind }) => kind === 'f')
  expect(foreign.length).toBeGreaterThan(0)
  const crossing = foreign.filter(({ columns, target, target_columns: targetColumns }) => {
    if (target === 'tenants') return columns.join() !== 'tenant_id' || targetColumns?.join() !== 'id'
    if (target !== null && names.has(target))
      return columns[0] !== 'tenant_id' || targetColumns?.[0] !== 'tenant_id'
    return false
  })
  expect(crossing).toEqual([])
})

test('the only table outside of a tenant that its tables refer to is that of the staff', async () => {
  const { constraints, names } = await readCatalogue()
  const outside = constraints.flatMap(({ target }) =>
    target !== null && target !== 'tenants' && !names.has(target) ? [target] : [],
  )
  expect(new Set(outside)).toEqual(new Set(['staff_users']))
})
