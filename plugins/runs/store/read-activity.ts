import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import { MAX_COUNTED_CHILDREN } from '#schemas/runs/run.ts'
import type { RunActivity } from '../contract/run.ts'
import type { RunsTables } from '../contract/tables.ts'

/** What a run did, and what lists show of its content. */
export interface ReadActivity {
  readonly activity: RunActivity
  /** The beginning of the message of its error. */
  readonly error: string | null
  readonly inputPreview: string | null
  readonly outputPreview: string | null
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
  // greatest() of null and 0 is 0.
  const { rows } = await sql<SelectedActivity>`
    select r.id, left(c.error, ${SHOWN_ERROR}) as error, c.input_preview as "inputPreview", c.output_preview as "outputPreview",
      coalesce(l.tool_calls, 0) as "toolCalls",
      case when l.state = 'waiting' then l.idle_since end as "pausedAt",
      case when l.first_token_at is not null and r.started_at is not null
        then greatest(0, round(extract(epoch from l.first_token_at - r.started_at) * 1000))::float8 end as "firstTokenMs",
      coalesce(case when k.metered then greatest(k.calls, k.reported) else k.reported + k.own_reports end, 0)::float8 as "modelCalls",
      (select count(*) from (select from runs_runs child where child.parent_run_id = r.id limit ${MAX_COUNTED_CHILDREN}) counted)::int as "childRuns"
    from runs_runs r left join runs_content c on c.run_id = r.id left join runs_lease l on l.run_id = r.id
    left join runs_costs k on k.run_id = r.id
    where r.id = any(${runs.map(({ id }) => id)}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.id, toRead(row)]))
}

type SelectedActivity = Omit<ReadActivity, 'activity'> & RunActivity & { readonly id: string }

function toRead(row: SelectedActivity): ReadActivity {
  const { id: _, error, inputPreview, outputPreview, pausedAt, ...activity } = row
  return { activity, error, inputPreview, outputPreview, pausedAt }
}

/** What is known of a run that was removed meanwhile. */
export const nothingRead: ReadActivity = {
  activity: noActivity,
  error: null,
  inputPreview: null,
  outputPreview: null,
  pausedAt: null,
}

/** The activity of one run. See {@link readActivity}. */
export async function readActivityOf(db: Reader<RunsTables>, run: { readonly id: string }): Promise<ReadActivity> {
  return (await readActivity(db, [run])).get(run.id) ?? nothingRead
}
