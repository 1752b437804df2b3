import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** The namespace of each queue entry, the bytes that each run and each namespace stores, and indexes for retention and quotas. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // A process of the version before names no namespace: its runs share the turns of the namespace ''.
  `alter table runs_lease add column namespace_uid text not null default '', add column bytes bigint not null default 0`,
  `update runs_lease l set namespace_uid = r.namespace_uid, bytes = coalesce(c.bytes, 0) + coalesce(j.bytes, 0)
    from runs_runs r
    left join (select run_id, coalesce(pg_column_size(input), 0) + coalesce(pg_column_size(output), 0)
      + coalesce(pg_column_size(checkpoint), 0) as bytes from runs_content) c on c.run_id = r.id
    left join (select run_id, sum(pg_column_size(data)) as bytes from runs_journal group by run_id) j on j.run_id = r.id
    where l.run_id = r.id`,
  // A claim reads the oldest runs of each namespace; the index by time alone is of no use to it.
  'drop index runs_lease_ready',
  `create index runs_lease_ready on runs_lease (namespace_uid, wake_at) where state = 'ready'`,
  `create index runs_lease_waiting on runs_lease (idle_since) where state = 'waiting'`,
  // Sixteen rows per namespace: writers of different runs rarely wait for the same one.
  `create table runs_storage (
    namespace_uid text not null, shard text not null, bytes bigint not null, primary key (namespace_uid, shard))`,
  `insert into runs_storage (namespace_uid, shard, bytes)
    select namespace_uid, right(run_id::text, 1), sum(bytes) from runs_lease group by 1, 2`,
  `create index runs_runs_queued_by on runs_runs (trigger_by) where state = 'queued'`,
  'create index runs_runs_by_finish on runs_runs (finished_at) where finished_at is not null',
]
