import { sql } from 'kysely'
import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace, liveNamespaceUid } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { RunFilter, RunKey, RunOrder, RunPage } from '../../contract/caller-runs.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import { isPrefixed, withRareIds } from './rare-runs.ts'

type Db = Reader<RunsTables>

/** A selection of runs. */
export type SelectRuns = SelectQueryBuilder<RunsTables, 'runs_runs', SelectedRun>

/** A page of the runs of the proof's namespace; '' means all. A re-created namespace does not include the former runs. */
export async function listRuns(
  db: Db,
  access: Access<'list', 'runs'>,
  filter: RunFilter,
  page: RunPage,
): Promise<SelectedRun[]> {
  const { rows } = await selectPage(db, access, await withRareIds(db, filter), page).execute(db)
  return rows
}

/** The statement of `listRuns`. An index yields its rows in order, so the cost does not depend on the number of runs. */
export function selectPage(
  ...[db, { namespace }, filter, { limit, after, order = 'newest' }]: Parameters<typeof listRuns>
): RawBuilder<SelectedRun> {
  const runs = narrowed(namespace === '' ? current(db) : currentOf(db, namespace), filter)
  if (!filter.label || order !== 'newest') {
    const labelled = filter.label === undefined ? runs : runs.where(hasLabel(filter.label))
    return sql<SelectedRun>`${ordered(labelled, order, after).limit(limit)}`
  }
  const [key, value] = filter.label
  const within = namespace === '' ? sql`true` : sql`runs_labels.namespace_uid = ${liveNamespaceUid(namespace)}`
  const young = filter.since ? sql`runs_labels.created_at >= ${filter.since}` : sql`true`
  // The lateral join keeps the order of labels; otherwise the planner reads and sorts every run with a common label.
  const run = runs.where('runs_runs.id', '=', sql.ref<string>('runs_labels.run_id')).limit(1)
  return sql<SelectedRun>`select run.* from runs_labels cross join lateral ${run} run
    where ${within} and key = ${key} and value = ${value} and ${young} and ${behind('runs_labels', 'run_id', after)}
    order by runs_labels.created_at desc, runs_labels.run_id desc limit ${limit}`
}

/** Number of runs beyond which lists are not counted. */
export const MAX_COUNTED = 10_000

/** Number of runs of the proof's namespace; beyond 10,000 it is not counted. */
export async function countRuns(db: Db, { namespace }: Access<'list', 'runs'>, filter: RunFilter): Promise<number> {
  const resolved = await withRareIds(db, filter)
  const narrow = narrowed(namespace === '' ? current(db) : currentOf(db, namespace), resolved)
  const runs = resolved.label === undefined ? narrow : narrow.where(hasLabel(resolved.label))
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (${runs.clearSelect().select('id').limit(MAX_COUNTED)}) counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** Runs whose namespace has not been deleted or re-created since. */
export function current(db: Db): SelectRuns {
  return db.selectFrom('runs_runs').selectAll('runs_runs').where(inLiveNamespace('runs_runs.namespace_uid'))
}

// With a single uid the index of a namespace yields its page. With a name or a join, all newer runs would be read (100 ms for 100,000).
function currentOf(db: Db, namespace: string): SelectRuns {
  return db
    .selectFrom('runs_runs')
    .selectAll('runs_runs')
    .where('runs_runs.namespace', '=', namespace)
    .where('runs_runs.namespace_uid', '=', liveNamespaceUid(namespace))
}

/** The runs of a selection that a filter selects, without its label. */
export function narrowed(runs: SelectRuns, filter: RunFilter): SelectRuns {
  const { agent, agentUid, conversationId, state, states, pauseReasons, since, until, changedSince } = filter
  let query = narrowedByOrigin(runs, filter)
  if (states !== undefined) query = query.where('state', 'in', [...states])
  if (pauseReasons !== undefined) query = query.where('pause_reason', 'in', [...pauseReasons])
  if (changedSince !== undefined)
    query = query.where(sql<boolean>`coalesce(finished_at, started_at, created_at) >= ${changedSince}`)
  if (agent !== undefined) query = query.where('agent_name', '=', agent)
  if (agentUid !== undefined) query = query.where('agent_uid', '=', agentUid)
  if (conversationId !== undefined) query = query.where('conversation_id', '=', conversationId)
  if (state !== undefined) query = query.where('state', '=', state)
  if (since !== undefined) query = query.where('runs_runs.created_at', '>=', since)
  if (until !== undefined) query = query.where('runs_runs.created_at', '<', until)
  return query
}

function narrowedByOrigin(runs: SelectRuns, filter: RunFilter): SelectRuns {
  const { failReasons, subject, trigger, parent, model, minDurationMs, hasFeedback, ids, prefix } = filter
  let query = runs
  if (failReasons !== undefined) query = query.where('fail_reason', 'in', [...failReasons])
  if (subject !== undefined) query = query.where('subject', '=', subject)
  if (trigger !== undefined) query = query.where('trigger_kind', '=', trigger)
  if (parent !== undefined) query = query.where('parent_run_id', '=', parent)
  if (model !== undefined)
    query = query.where(
      sql<boolean>`exists (select from runs_costs where runs_costs.run_id = runs_runs.id and model = ${model})`,
    )
  if (minDurationMs !== undefined)
    query = query
      .where('finished_at', 'is not', null)
      .where(sql<boolean>`(finished_at - started_at) >= make_interval(secs => ${minDurationMs / 1000})`)
  const rated = sql<boolean>`exists (select from runs_rated where runs_rated.run_id = runs_runs.id)`
  if (hasFeedback !== undefined) query = query.where(hasFeedback ? rated : sql<boolean>`not ${rated}`)
  if (ids !== undefined) query = query.where(sql<boolean>`runs_runs.id = any(${[...ids]}::uuid[])`)
  if (prefix !== undefined) query = query.where(isPrefixed(prefix))
  return query
}

/** Whether a run has a label. */
export function hasLabel([key, value]: readonly [string, string]): RawBuilder<boolean> {
  return sql<boolean>`exists (select from runs_labels l where l.run_id = runs_runs.id and l.key = ${key} and l.value = ${value})`
}

function ordered(runs: SelectRuns, order: RunOrder, after: RunKey | undefined): SelectRuns {
  const duration = sql`(runs_runs.finished_at - runs_runs.started_at)`
  if (order === 'longest') {
    const ended = runs.where('finished_at', 'is not', null).where('started_at', 'is not', null)
    const rest =
      after &&
      sql<boolean>`(${duration}, runs_runs.id) <
      (make_interval(secs => ${(after.durationMs ?? 0) / 1000}), ${after.id}::uuid)`
    return (rest === undefined ? ended : ended.where(rest)).orderBy(duration, 'desc').orderBy('runs_runs.id', 'desc')
  }
  if (order === 'newest')
    return runs
      .where(behind('runs_runs', 'id', after))
      .orderBy('runs_runs.created_at', 'desc')
      .orderBy('runs_runs.id', 'desc')
  const key = sql`(runs_runs.created_at, runs_runs.id)`
  const later =
    after === undefined ? sql<boolean>`true` : sql<boolean>`${key} > (${after.createdAt}, ${after.id}::uuid)`
  return runs.where(later).orderBy('runs_runs.created_at').orderBy('runs_runs.id')
}

function behind(table: string, id: string, after: RunKey | undefined): RawBuilder<boolean> {
  if (!after) return sql<boolean>`true`
  const key = sql.join([sql.ref(`${table}.created_at`), sql.ref(`${table}.${id}`)])
  return sql<boolean>`(${key}) < (${after.createdAt}, ${after.id}::uuid)`
}
