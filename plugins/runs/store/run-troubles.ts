import { sql } from 'kysely'
import type { AccessScope } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { FailingAgents, PausedRuns } from '../contract/api.ts'
import type { RunsTables } from '../contract/tables.ts'
import { uidsOf } from './lists/live-namespaces.ts'

/** Paused runs that are counted at most. */
const MAX_PAUSED = 1_000

/** Share of failed runs from which an agent fails. */
const MIN_FAILED_SHARE = 0.1

type Db = Reader<RunsTables>
type Proofs = AccessScope<'list', 'runs'>

/** Paused runs in the namespaces of the proofs. Reads at most as many as are counted. */
export async function readPausedRuns(db: Db, access: Proofs, top: number): Promise<PausedRuns> {
  const { rows } = await sql<{
    readonly count: number
    readonly id: string
    readonly namespace: string
    readonly agent_name: string | null
    readonly pause_reason: string
    readonly since: Date | null
  }>`
    with found as materialized (
      select id, namespace, agent_name, pause_reason, created_at from runs_runs
      where state = 'paused' and namespace_uid in (${uidsOf(access)}) order by created_at desc, id desc
      limit ${sql.lit(MAX_PAUSED)})
    select found.*, lease.idle_since as since, (select count(*)::int from found) as count
    from found left join runs_lease lease on lease.run_id = found.id
    order by found.created_at desc, found.id desc limit ${top}`.execute(db)
  return {
    count: rows[0]?.count ?? 0,
    items: rows.map(({ id, namespace, agent_name: agent, pause_reason: reason, since }) => {
      return { id, namespace, agent, reason, since: since?.toISOString() ?? null }
    }),
  }
}

/** Agents of which a share of the runs since a time failed, from sums by hour. */
export async function readFailingAgents(db: Db, access: Proofs, since: Date, top: number): Promise<FailingAgents> {
  const { rows } = await sql<{
    readonly count: number
    readonly namespace: string
    readonly agent: string
    readonly runs: number
    readonly failed: number
  }>`
    with counted as (
      select s.agent_uid, max(s.namespace) as namespace, max(s.agent) as agent, sum(s.runs) as runs,
        coalesce(sum(s.runs) filter (where s.state in ('failed', 'timed_out', 'rejected')), 0) as failed
      from (${uidsOf(access)}) n join runs_sums s on s.namespace_uid = n.uid and s.width = 3600
        and s.start >= date_bin('1 hour', ${since}::timestamptz, 'epoch'::timestamptz)
      where s.agent_uid <> '' and s.trigger_kind <> 'eval' group by s.agent_uid),
    found as materialized (
      select * from counted where failed > 0 and failed >= runs * ${sql.lit(MIN_FAILED_SHARE)}::float8)
    select namespace, agent, runs::float8 as runs, failed::float8 as failed, (select count(*)::int from found) as count
    from found order by found.failed desc, namespace, agent limit ${top}`.execute(db)
  const items = rows.map(({ namespace, agent, runs, failed }) => ({ namespace, agent, runs, failed }))
  return { count: rows[0]?.count ?? 0, items }
}
