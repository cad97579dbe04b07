import pg from 'pg'
import { type MeasuredQueue, readSize } from '../measure/measured-queue.ts'

/** A plain table as a queue, read and deleted from by a Node client. `sample` are the records that it is
 *  filled with, again and again. */
export async function plainTable(databaseUrl: string, sample: readonly string[]): Promise<MeasuredQueue> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`
    drop table if exists plain_queue, plain_sample;
    create table plain_queue (position bigint primary key, record text not null);
    create table plain_sample (n bigint primary key, record text not null)`)
  await client.query(
    `insert into plain_sample select n, record from unnest($1::text[]) with ordinality as s (record, n)`,
    [sample],
  )
  let head = 0
  let tail = 0
  let wanted = 0

  async function grow(): Promise<number> {
    const before = tail
    while (tail - head < wanted) {
      const count = Math.min(sample.length, wanted - (tail - head))
      await client.query(
        'insert into plain_queue select $1::bigint + n, record from plain_sample where n <= $2',
        [tail, count],
      )
      tail += count
    }
    return tail - before
  }

  return {
    name: 'plain table',
    async growTo(depth) {
      wanted = depth
      const grown = await grow()
      await client.query('vacuum analyze plain_queue')
      return grown
    },
    async read() {
      const startedAt = performance.now()
      const { rows } = await client.query<{ position: string; record: string }>({
        name: 'read',
        text: 'select position, record from plain_queue order by position limit $1',
        values: [readSize],
      })
      const tookMs = performance.now() - startedAt
      if (rows.length !== readSize) throw new Error(`the plain table answers ${rows.length} rows`)
      return tookMs
    },
    async remove(count) {
      const startedAt = performance.now()
      const { rowCount } = await client.query({
        name: 'remove',
        text: 'delete from plain_queue where position <= $1',
        values: [head + count],
      })
      const tookMs = performance.now() - startedAt
      if (rowCount !== count) throw new Error(`the plain table removed ${rowCount} rows, not ${count}`)
      head += count
      return tookMs
    },
    async restore() {
      await grow()
    },
    close: () => client.end(),
  }
}
