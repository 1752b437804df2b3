import { sql } from 'kysely'
import type { Db } from './db.ts'
import type { AgentAbove } from '../../contract/found-run.ts'

// Deeper than any chain of calls: the depth is refused when a run is created.
const longestChain = 64

/**
 * Other agents of the runs above a run of the agent, from the run's parent up to the root; undefined unless the run belongs to the agent. Without a
 * run: the agents above all runs that the agent executes now.
 */
export async function readAgentsAbove(
  db: Db,
  agentUid: string,
  runId: string | undefined,
): Promise<readonly AgentAbove[] | undefined> {
  const isOne = runId === undefined ? sql`state in ('running', 'cancelling')` : sql`id = ${runId}`
  // Every run references the root, since retention may have removed a run in between.
  const { rows } = await sql<AgentAbove & { own: boolean }>`
    with recursive chain as (
      select id, parent_run_id, root_run_id, namespace, agent_name, agent_uid, 0 as height from runs_runs
        where agent_uid = ${agentUid} and ${isOne}
      union
      select r.id, r.parent_run_id, r.root_run_id, r.namespace, r.agent_name, r.agent_uid, chain.height + 1 from chain
        join runs_runs r on r.id = any (array[chain.parent_run_id, chain.root_run_id]) and r.id <> chain.id
        where chain.height < ${longestChain})
    select namespace, agent_name as name, agent_uid as uid, agent_uid = ${agentUid} as own from chain
      where agent_uid is not null group by 1, 2, 3 order by max(height), 3`.execute(db)
  if (runId !== undefined && rows.length === 0) return undefined
  return rows.flatMap(({ own, namespace, name, uid }) => (own ? [] : [{ namespace, name, uid }]))
}
