import { contentsOfRuns, removeContents } from './contents.ts'
import { removeSummaries } from './summaries.ts'
import { spanUsage } from './usage.ts'
import { sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import { deletedUids } from '#core/cluster/object-index-sql.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Pruner } from '#plugins/pruning/contract/points.ts'
import type { TracesTables } from '../contract/tables.ts'

interface RemovedChunk {
  readonly trace_id: string
  readonly agent_uid: string
  readonly namespace_uid: string
  readonly spans: number
  readonly bytes: number
}

/** Removes at most `limit` chunks that are older than the retention, by the clock of the database. Returns their number. */
export function removeExpiredSpans(tx: Tx, retentionDays: number, limit: number): Promise<number> {
  const expired = sql`stored_at < now() - make_interval(days => ${retentionDays})`
  return removeBatch(tx.tables<TracesTables>(), sql`${expired} order by stored_at limit ${limit}`)
}

/** Removes at most `limit` chunks of deleted agents, including chunks that a pod stored after its agent was pruned. */
export function removeOrphanedSpans(tx: Tx, limit: number): Promise<number> {
  return removeBatch(
    tx.tables<TracesTables>(),
    sql`agent_uid in ${deletedUids('AgentDeployment')} order by agent_uid, id limit ${limit}`,
  )
}

/** Removed runs with their traces, and those of the traces without another run. */
export interface RemovedRuns {
  readonly runIds: readonly string[]
  readonly traceIds: readonly string[]
  readonly over: readonly string[]
}

/** Removes every chunk of traces without a run, and the contents of removed runs. Returns the number of chunks. */
export async function removeSpansOfRuns(tx: Tx, { runIds, traceIds, over }: RemovedRuns): Promise<number> {
  const ofTraces = sql`trace_id = any(${[...over]}::text[])`
  const removed = await removeBoth(
    tx.tables<TracesTables>(),
    ofTraces,
    sql`${ofTraces} or ${contentsOfRuns(runIds, traceIds)}`,
  )
  return removed.chunks
}

/** Removes the spans of a deleted agent. */
export const spanPruner: Pruner = {
  name: 'traces',
  kinds: ['AgentDeployment'],
  prune: (tx, { uid }, limit) =>
    removeBatch(tx.tables<TracesTables>(), sql`agent_uid = ${uid} order by id limit ${limit}`),
}

// In the order in which spans are stored: traces, then the namespace, whose owners are locked in one statement.
async function removeBoth(
  db: Transaction<TracesTables>,
  which: RawBuilder<unknown>,
  contents = which,
): Promise<{ readonly chunks: number; readonly contents: number }> {
  const chunks = await removeChunks(db, which)
  const gone = await removeContents(db, contents)
  const owners = chunks.map(({ namespace_uid: owner, bytes }) => ({ owner, bytes }))
  if (chunks.length + gone.length > 0) await spanUsage.subtract(db, [...owners, ...gone])
  if (chunks.length > 0) await removeSummaries(db, [...new Set(chunks.map(({ trace_id: id }) => id))])
  return { chunks: chunks.length, contents: gone.length }
}

// Each number counts: a batch below the limit is the last one.
async function removeBatch(db: Transaction<TracesTables>, which: RawBuilder<unknown>): Promise<number> {
  const { chunks, contents } = await removeBoth(db, which)
  return Math.max(chunks, contents)
}

async function removeChunks(
  db: Transaction<TracesTables>,
  which: RawBuilder<unknown>,
): Promise<readonly RemovedChunk[]> {
  const { rows } = await sql<RemovedChunk>`delete from traces_chunks where id in (
      select id from traces_chunks where ${which} for update skip locked)
    returning trace_id, agent_uid, namespace_uid, spans, bytes`.execute(db)
  if (rows.length === 0) return rows
  const keys = rows.toSorted((a, b) => (a.trace_id < b.trace_id ? -1 : 1))
  await sql`with gone as (
      select trace_id, agent_uid, sum(spans)::integer as spans from unnest(
        ${keys.map(({ trace_id: id }) => id)}::text[], ${keys.map(({ agent_uid: uid }) => uid)}::text[],
        ${keys.map(({ spans }) => spans)}::integer[]) as given (trace_id, agent_uid, spans) group by 1, 2
    ), locked as (
      select t.trace_id, t.agent_uid from traces_totals t join gone using (trace_id, agent_uid)
      order by 1, 2 for update of t
    ) update traces_totals t set spans = greatest(t.spans - gone.spans, 0)
      from gone join locked using (trace_id, agent_uid)
      where t.trace_id = gone.trace_id and t.agent_uid = gone.agent_uid`.execute(db)
  const traceIds = [...new Set(keys.map(({ trace_id: id }) => id))]
  await sql`delete from traces_totals where spans = 0 and trace_id = any(${traceIds}::text[])`.execute(db)
  return rows
}
