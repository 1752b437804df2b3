import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { EndedContent, EndedRun } from '../contract/found-run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { previewRuleOf } from '../previews/preview-rule.ts'
import { readIndexedAgent } from './lists/sealed-runs.ts'

type Db = Reader<RunsTables>

/** Those of the runs that belong to an agent and succeeded. */
export async function readSucceeded(db: Db, runIds: readonly string[]): Promise<readonly EndedRun[]> {
  const { rows } = await sql<EndedRun>`
    select id, agent_uid as "agentUid", trigger_kind as trigger from runs_runs
    where id = any(${[...runIds]}::uuid[]) and agent_uid is not null and state = 'succeeded'`.execute(db)
  return rows
}

/** Input, output and tools of a run that succeeded, with what its agent's trace policy shows of them; undefined if it was removed. */
export async function readEndedContent(db: Db, runId: string): Promise<EndedContent | undefined> {
  const { rows } = await sql<Omit<EndedContent, 'rule'> & { agentUid: string }>`
    select r.agent_uid as "agentUid", c.input, c.output, array(
      select data ->> 'name' from runs_journal where run_id = r.id and kind = 'tool.started' and data ->> 'name' is not null
      order by seq limit 1000) as tools
    from runs_runs r join runs_content c on c.run_id = r.id
    where r.id = ${runId}::uuid and r.state = 'succeeded' and r.agent_uid is not null`.execute(db)
  const [found] = rows
  if (found === undefined) return undefined
  const { agentUid, ...content } = found
  return { ...content, rule: previewRuleOf(await readIndexedAgent(db, agentUid)) }
}
