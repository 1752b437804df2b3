import { sql } from 'kysely'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { Access } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import { DEFAULT_SCORE_NAME } from '#schemas/launcher/feedback.ts'
import type { ScoreBin, ScoreWindow } from '../contract/api.ts'
import type { FeedbackTables } from '../contract/tables.ts'

/** Means of the scores of an agent by bins: decisions, and numbers from 0 to 1. */
export async function readMeanScores(
  db: Reader<FeedbackTables>,
  { namespace }: Access<'list', 'feedback'>,
  { agent, from, to, width }: ScoreWindow,
): Promise<readonly ScoreBin[]> {
  const { rows } = await sql<ScoreBin>`
    select date_bin(make_interval(secs => ${width}::float8), created_at, ${from}::timestamptz) as at,
      avg(score)::float8 as score, count(*)::int as count
    from (
      select created_at, case jsonb_typeof(value) when 'boolean' then (value::boolean)::int::float8
        when 'number' then (value #>> '{}')::float8 end as score
      from feedback_scores
      where namespace = ${namespace} and agent_name = ${agent} and name = ${DEFAULT_SCORE_NAME} and not of_evaluation
        and created_at >= ${from} and created_at < ${to}
        and ${inLiveNamespace('feedback_scores.namespace_uid')}
    ) given where score between 0 and 1 group by 1 order by 1`.execute(db)
  return rows
}
