import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { RunsTables } from '../contract/tables.ts'

/** Returns those of the traces that have runs: `own` if one belongs to the agent, else `foreign`. */
export async function readOwners(
  db: Reader<RunsTables>,
  agentUid: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, 'own' | 'foreign'>> {
  const { rows } = await sql<{ trace_id: string; own: boolean }>`
    select trace_id, coalesce(bool_or(agent_uid = ${agentUid}), false) as own from runs_runs
    where trace_id = any(${[...traceIds]}::text[]) group by trace_id`.execute(db)
  return new Map(rows.map(({ trace_id: traceId, own }) => [traceId, own ? 'own' : 'foreign']))
}
