import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { RunOfTrace } from '../contract/found-run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { noCosts, readCosts } from './read-costs.ts'

/** The oldest run of each trace in the proof's namespace, with its costs; traces without one are absent. */
export async function readRunsOfTraces(
  db: Reader<RunsTables>,
  { namespace }: Access<'list', 'runs'>,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, RunOfTrace>> {
  if (traceIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; trace_id: string }>`
    select distinct on (trace_id) id, trace_id from runs_runs
    where trace_id = any(${[...traceIds]}::text[]) and ${namespace === '' ? sql`true` : sql`namespace = ${namespace}`}
      and ${inLiveNamespace('runs_runs.namespace_uid')}
    order by trace_id, created_at, id`.execute(db)
  const costs = await readCosts(db, rows)
  return new Map(rows.map(({ id, trace_id: traceId }) => [traceId, { id, costs: costs.get(id) ?? noCosts }]))
}
