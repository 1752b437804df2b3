import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { RunActivity } from '../contract/run.ts'
import type { RunsTables } from '../contract/tables.ts'

/** What a run did, and the beginning of the message of its error. */
export interface ReadActivity extends RunActivity {
  readonly error: string | null
  /** Since when the run is paused; null unless it is. */
  readonly pausedAt: Date | null
}

/** The activity of a new run. */
export const noActivity: RunActivity = { firstTokenMs: null, modelCalls: 0, toolCalls: 0, childRuns: 0 }

/** Longest part of the message of an error in a list. */
const SHOWN_ERROR = 500

/** Activity, by id, of runs that were read with a proof. */
export async function readActivity(
  db: Reader<RunsTables>,
  runs: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, ReadActivity>> {
  if (runs.length === 0) return new Map()
  const { rows } = await sql<ReadActivity & { readonly id: string }>`
    select r.id, left(c.error, ${SHOWN_ERROR}) as error, coalesce(l.tool_calls, 0) as "toolCalls",
      case when l.state = 'waiting' then l.idle_since end as "pausedAt",
      greatest(0, round(extract(epoch from l.first_token_at - r.started_at) * 1000))::float8 as "firstTokenMs",
      coalesce(case when k.metered then greatest(k.calls, k.reported) else k.reported + k.own_reports end, 0)::float8 as "modelCalls",
      (select count(*) from runs_runs child where child.parent_run_id = r.id)::int as "childRuns"
    from runs_runs r left join runs_content c on c.run_id = r.id left join runs_lease l on l.run_id = r.id
    left join runs_costs k on k.run_id = r.id
    where r.id = any(${runs.map(({ id }) => id)}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, ...activity }) => [id, activity]))
}

/** The activity of one run. See {@link readActivity}. */
export async function readActivityOf(db: Reader<RunsTables>, run: { readonly id: string }): Promise<ReadActivity> {
  return (await readActivity(db, [run])).get(run.id) ?? { ...noActivity, error: null, pausedAt: null }
}
