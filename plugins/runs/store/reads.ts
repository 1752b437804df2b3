import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Access } from '#core/cluster/access.ts'
import type { RunState } from '#schemas/run.ts'
import type { RunsTables, SelectedRun } from './tables.ts'

/** Filters of a list of runs; `since` bounds `createdAt` from below. */
export interface RunFilter {
  readonly agent?: string | undefined
  readonly agentUid?: string | undefined
  readonly state?: RunState | undefined
  readonly label?: readonly [string, string] | undefined
  readonly since?: Date | undefined
}

/** The sort key of a list: newest first, ties by id. */
export interface RunKey {
  readonly createdAt: Date
  readonly id: string
}

type Db = Kysely<RunsTables>

/** One page of the runs of the proof's namespace; '' is cluster-wide. A re-created namespace inherits nothing. */
export function listRuns(
  db: Db,
  access: Access<'list', 'runs'>,
  filter: RunFilter,
  page: { readonly limit: number; readonly after?: RunKey | undefined },
): Promise<SelectedRun[]> {
  const { namespace } = access
  let query = namespace === '' ? current(db) : currentOf(db, namespace)
  query = query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit)
  if (filter.agent !== undefined) query = query.where('agent_name', '=', filter.agent)
  if (filter.agentUid !== undefined) query = query.where('agent_uid', '=', filter.agentUid)
  if (filter.state !== undefined) query = query.where('state', '=', filter.state)
  if (filter.since !== undefined) query = query.where('created_at', '>=', filter.since)
  if (filter.label) query = query.where(sql<boolean>`labels ->> ${filter.label[0]} = ${filter.label[1]}`)
  if (page.after)
    query = query.where(sql<boolean>`(created_at, runs_runs.id) < (${page.after.createdAt}, ${page.after.id}::uuid)`)
  return query.execute()
}

/** Where a run lives: all that may be read before the review, and only to ask it. */
export async function locateRun(db: Db, runId: string): Promise<string | undefined> {
  const row = await current(db).clearSelect().select('runs_runs.namespace').where('id', '=', runId).executeTakeFirst()
  return row?.namespace
}

/** A run of the proof's namespace. */
export function readRun(db: Db, access: Access<string, 'runs'>, runId: string): Promise<SelectedRun | undefined> {
  return current(db).where('id', '=', runId).where('runs_runs.namespace', '=', access.namespace).executeTakeFirst()
}

/** Input, output, error and questions of a run that was read with a proof. */
export function readRunContent(db: Db, run: SelectedRun) {
  return db
    .selectFrom('runs_content')
    .select(['input', 'output', 'error', 'interrupts'])
    .where('run_id', '=', run.id)
    .executeTakeFirst()
}

/** Journal entries after a sequence number, in order. */
export function readJournal(db: Db, run: Pick<SelectedRun, 'id'>, after: number, limit: number) {
  return db
    .selectFrom('runs_journal')
    .selectAll()
    .where('run_id', '=', run.id)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** The text so far of the messages under way. */
export function readPartials(db: Db, run: Pick<SelectedRun, 'id'>) {
  return db.selectFrom('runs_partial').selectAll().where('run_id', '=', run.id).execute()
}

/** Runs whose namespace still is the one that they were made in. */
function current(db: Db): SelectQueryBuilder<RunsTables, 'runs_runs', SelectedRun> {
  return db
    .selectFrom('runs_runs')
    .selectAll('runs_runs')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('observed')
          .select(sql`1`.as('one'))
          .where('observed.kind', '=', 'Namespace')
          .whereRef('observed.uid', '=', 'runs_runs.namespace_uid')
          .where('observed.deleted_at', 'is', null),
      ),
    )
}

// One uid to compare with lets the index of a namespace give its page; by name or by a join all runs newer than the page were read (100 ms of 100,000).
function currentOf(db: Db, namespace: string): SelectQueryBuilder<RunsTables, 'runs_runs', SelectedRun> {
  const live = sql<string>`(select uid from observed where kind = 'Namespace' and namespace = '' and name = ${namespace}
    and deleted_at is null order by length(rv) desc, rv desc limit 1)`
  return db
    .selectFrom('runs_runs')
    .selectAll('runs_runs')
    .where('runs_runs.namespace', '=', namespace)
    .where('runs_runs.namespace_uid', '=', live)
}
