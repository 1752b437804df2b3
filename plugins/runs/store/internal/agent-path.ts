import { sql } from 'kysely'
import type { Db } from './db.ts'

// Deeper than any chain of calls: the depth is refused when a run is created.
const longestChain = 64

/** Agents (`namespace/name`) of a run and the runs above it, from the root run down. Runs without an agent are left out. */
export async function readAgentPath(db: Db, runId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ agent: string }>`
    with recursive chain as (
      select parent_run_id, namespace, agent_name, 1 as height from runs_runs where id = ${runId}
      union all
      select r.parent_run_id, r.namespace, r.agent_name, chain.height + 1 from runs_runs r
      join chain on r.id = chain.parent_run_id where chain.height < ${longestChain})
    select namespace || '/' || agent_name as agent from chain where agent_name is not null order by height desc`.execute(
    db,
  )
  return rows.map(({ agent }) => agent)
}
