import { sql } from 'kysely'
import type { RawBuilder, Selectable, Transaction } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import { readRows, whereEqual } from '#core/http/store/read-rows.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import type { SummaryRow, TracesTables } from '../contract/tables.ts'
import type { SpanOwner, TraceChunk } from '../spans/stored-span.ts'

/** A summary as selected. */
export type SelectedSummary = Selectable<SummaryRow>

/** Filters of a list of traces. `from` is inclusive, `to` exclusive. */
export interface TraceFilter {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly agent?: string | undefined
  readonly name?: string | undefined
  readonly status?: SummaryRow['status'] | undefined
  readonly minDurationMs?: number | undefined
}

/** One page of the traces with spans in the proof's namespace, newest first; '' means all. */
export function listSummaries(
  db: Reader<TracesTables>,
  { namespace }: Access<'list', 'runs'>,
  { from, to, agent, name, status, minDurationMs }: TraceFilter,
  page: RowPage,
): Promise<readonly SelectedSummary[]> {
  const when = (condition: RawBuilder<boolean> | undefined) => (condition === undefined ? [] : [condition])
  const where = [
    ...whereEqual('agent_name', agent),
    ...whereEqual('name', name),
    ...whereEqual('status', status),
    ...when(from && sql<boolean>`started_at >= ${from}`),
    ...when(to && sql<boolean>`started_at < ${to}`),
    ...when(
      minDurationMs === undefined
        ? undefined
        : sql<boolean>`ended_nanos - started_nanos >= ${minDurationMs * 1e6}::bigint`,
    ),
  ]
  const order = { columns: ['started_at', 'trace_id', 'namespace_uid'], direction: 'desc' } as const
  return readRows(db, { table: 'traces_summaries', namespace, where, order, page })
}

// Columns of the root: taken together from the row whose root comes first.
const ofRoot = ['agent_uid', 'agent_name', 'span_id', 'name', 'kind', 'service', 'has_parent', 'root_nanos'] as const

/** Adds chunks to the summaries of their traces, in any order of arrival. The row of the namespace's usage is locked by the caller. */
export async function mergeSummaries(
  db: Transaction<TracesTables>,
  owner: SpanOwner & { readonly namespaceUid: string },
  chunks: readonly TraceChunk[],
): Promise<void> {
  const given = JSON.stringify(chunks.map(({ traceId, summary }) => ({ trace_id: traceId, ...summary })))
  const isEarlier = sql`(excluded.has_parent, excluded.root_nanos) < (t.has_parent, t.root_nanos)`
  const root = ofRoot.map((column) => {
    const [name, next, now] = [sql.ref(column), sql.ref(`excluded.${column}`), sql.ref(`t.${column}`)]
    return sql`${name} = case when ${isEarlier} then ${next} else ${now} end`
  })
  await sql`insert into traces_summaries as t (trace_id, namespace_uid, namespace, agent_uid, agent_name, span_id, name, kind, service,
      has_parent, root_nanos, status, outcome_nanos, started_at, started_nanos, ended_nanos, spans, errors)
    select trace_id, ${owner.namespaceUid}, ${owner.namespace}, ${owner.uid}, ${owner.name}, span_id, name, kind, service,
      has_parent, root_nanos, status, outcome_nanos, to_timestamp((started_nanos / 1000000) / 1000.0), started_nanos, ended_nanos, spans, errors
    from jsonb_to_recordset(${given}::jsonb) as given(trace_id text, span_id text, name text, kind text, service text, has_parent boolean,
      root_nanos bigint, status text, outcome_nanos bigint, started_nanos bigint, ended_nanos bigint, spans integer, errors integer)
    on conflict (trace_id, namespace_uid) do update set ${sql.join(root)},
      status = case when excluded.outcome_nanos > 0 and excluded.outcome_nanos >= t.outcome_nanos then excluded.status else t.status end,
      outcome_nanos = greatest(t.outcome_nanos, excluded.outcome_nanos),
      started_at = least(t.started_at, excluded.started_at), started_nanos = least(t.started_nanos, excluded.started_nanos),
      ended_nanos = greatest(t.ended_nanos, excluded.ended_nanos),
      spans = t.spans + excluded.spans, errors = t.errors + excluded.errors`.execute(db)
}

/**
 * Removes the summaries of traces without chunks. Called while the rows of the namespaces' usage are locked, so that no request stores a chunk
 * meanwhile.
 */
export async function removeSummaries(db: Transaction<TracesTables>, traceIds: readonly string[]): Promise<void> {
  await sql`delete from traces_summaries s where trace_id = any(${[...traceIds]}::text[]) and not exists (
    select from traces_chunks c where c.trace_id = s.trace_id and c.namespace_uid = s.namespace_uid)`.execute(db)
}
