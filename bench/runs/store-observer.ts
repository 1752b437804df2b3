import { Client } from 'pg'
import type { Scope } from '#test/harness/scope.ts'
import type { StatementCounts } from '#test/harness/statement-count.ts'

/** Reads what a PostgreSQL server counted. */
export interface StoreObserver {
  /** Executions by normalised text, from `pg_stat_statements`. */
  statements(): Promise<StatementCounts>
  /** Position of the write-ahead log in bytes. */
  walBytes(): Promise<number>
}

/** Settings of the server that `observeStore` needs. */
export const observedSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '5000',
  checkpoint_timeout: '30min',
  max_wal_size: '4GB',
}

/** Connects as superuser, and counts the statements of the given database from then on. */
export async function observeStore(t: Scope, adminUrl: string, database: string): Promise<StoreObserver> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  t.after(() => client.end())
  await client.query('create extension if not exists pg_stat_statements')
  return {
    statements: async () => {
      const { rows } = await client.query<{ text: string; calls: string }>(
        `select regexp_replace(query, '\\s+', ' ', 'g') as text, sum(calls) as calls
           from pg_stat_statements join pg_database on pg_database.oid = dbid
          where datname = $1 and query !~* '^(begin|commit)' group by 1`,
        [database],
      )
      const counts = Object.fromEntries(rows.map(({ text, calls }) => [text, Number(calls)]))
      const transactions = await countTransactions(client)
      return { ...counts, begin: transactions, commit: transactions }
    },
    walBytes: async () => {
      const { rows } = await client.query<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`)
      return Number(rows[0]?.bytes ?? 0)
    },
  }
}

// pg_stat_statements counts BEGIN and COMMIT only once if they are prepared. A transaction that writes or locks has an id.
async function countTransactions(client: Client): Promise<number> {
  const { rows } = await client.query<{ next: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as next')
  return Number(rows[0]?.next ?? 0)
}
