import { sql } from 'kysely'
import type { Database } from '../../foundation/database/index.ts'

/** Watches every table of the platform and of its jobs. What it gives answers which rows were changed since
 *  it was last asked, as `UPDATE queue_heads`. */
export async function watchChanges(db: Database): Promise<() => Promise<string[]>> {
  await sql`create schema contract_tests`.execute(db)
  await sql`create table contract_tests.changes (at bigint generated always as identity, change text)`.execute(
    db,
  )
  await sql`create function contract_tests.note_change() returns trigger language plpgsql as $$
    begin
      -- A partition by the name of its table.
      insert into contract_tests.changes (change) values (tg_op || ' ' || regexp_replace(tg_table_name, '_[0-9]+$', ''));
      return null;
    end $$`.execute(db)
  await sql`do $$
    declare
      watched regclass;
    begin
      for watched in select oid from pg_class where relkind in ('r', 'p') and not relispartition
        and relnamespace in (select oid from pg_namespace where nspname in ('public', 'pgboss'))
      loop
        execute format('create trigger note_change after insert or update or delete on %s
          for each row execute function contract_tests.note_change()', watched);
      end loop;
    end $$`.execute(db)

  return async () => {
    const { rows } = await sql<{ at: number; change: string }>`
      delete from contract_tests.changes returning at, change`.execute(db)
    return rows.toSorted((a, b) => a.at - b.at).map(({ change }) => change)
  }
}
