import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { SelectedChunk, TracesTables } from '../contract/tables.ts'

type Db = Reader<TracesTables>

/** A proof that the caller may get the runs of a namespace, whose spans reveal no more than its runs. */
export type TraceAccess = Access<'get', 'runs'>

/** Spans of a trace by agent, without their content. */
export interface TraceTotal {
  readonly namespace: string
  readonly agent: string
  readonly spans: number
}

/** Limits of one response. */
export const mostOfTrace = { spans: 10_000, bytes: 16 * 2 ** 20 } as const

// The same limit as for the runs of a trace.
const TRACE_NAMESPACES = 20

/** Namespaces with spans of a trace: the only fields that may be read before the access reviews. */
export async function namespacesOfTrace(db: Db, traceId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('traces_chunks')
    .select('namespace')
    .distinct()
    .where('trace_id', '=', traceId)
    .where(inLiveNamespace('traces_chunks.namespace_uid'))
    .orderBy('namespace')
    .limit(TRACE_NAMESPACES)
    .execute()
  return rows.map(({ namespace }) => namespace)
}

/** Number of spans of a trace in the namespaces of the proofs, by agent. */
export async function readTotals(
  db: Db,
  accesses: readonly TraceAccess[],
  traceId: string,
): Promise<readonly TraceTotal[]> {
  return db
    .selectFrom('traces_chunks')
    .select(['namespace', 'agent_name as agent', sql<number>`sum(spans)::integer`.as('spans')])
    .where('trace_id', '=', traceId)
    .where('namespace', 'in', namespacesOf(accesses))
    .where(inLiveNamespace('traces_chunks.namespace_uid'))
    .groupBy(['namespace', 'agent_name'])
    .orderBy('namespace')
    .orderBy('agent_name')
    .execute()
}

/**
 * The chunks of a trace in the namespaces of the proofs, oldest first, within `mostOfTrace`, which the first chunk may exceed; `truncated` if there
 * are more.
 */
export async function readChunks(
  db: Db,
  accesses: readonly TraceAccess[],
  traceId: string,
): Promise<{ readonly chunks: readonly SelectedChunk[]; readonly truncated: boolean }> {
  const { rows } = await sql<SelectedChunk & { all: number }>`
    select * from (
      select traces_chunks.*, sum(spans) over w as total, sum(bytes) over w as size, row_number() over w as nth,
        count(*) over ()::integer as all
      from traces_chunks
      where trace_id = ${traceId} and namespace = any(${namespacesOf(accesses)}::text[])
        and ${inLiveNamespace('traces_chunks.namespace_uid')}
      window w as (order by id)
    ) sums where nth = 1 or (total <= ${mostOfTrace.spans} and size <= ${mostOfTrace.bytes}) order by id`.execute(db)
  return { chunks: rows, truncated: rows.length < (rows[0]?.all ?? 0) }
}

function namespacesOf(accesses: readonly TraceAccess[]): string[] {
  return accesses.map(({ namespace }) => namespace)
}
