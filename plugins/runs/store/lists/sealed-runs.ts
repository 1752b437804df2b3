import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { RunFilter, RunPage } from '../../contract/caller-runs.ts'
import type { RunPosition } from '../../contract/found-run.ts'
import type { RunsTables } from '../../contract/tables.ts'
import type { IndexedAgent } from '../../previews/preview-rule.ts'
import { withRareIds } from './rare-runs.ts'
import { current, narrowed } from './select-runs.ts'

/** A page of the runs of a namespace with this uid, newest first, under an access that was opened. */
export async function listRunsOfUid(
  db: Reader<RunsTables>,
  { namespace, namespaceUid }: { readonly namespace: string; readonly namespaceUid: string },
  filter: RunFilter,
  { limit, after }: Pick<RunPage, 'limit' | 'after'>,
): Promise<readonly RunPosition[]> {
  const among = current(db)
    .where('runs_runs.namespace', '=', namespace)
    .where('runs_runs.namespace_uid', '=', namespaceUid)
  const runs = narrowed(among, await withRareIds(db, filter))
  const key = sql`(runs_runs.created_at, runs_runs.id)`
  const behind =
    after === undefined ? sql<boolean>`true` : sql<boolean>`${key} < (${after.createdAt}, ${after.id}::uuid)`
  return runs
    .where(behind)
    .clearSelect()
    .select(['runs_runs.id', 'runs_runs.created_at as createdAt', 'agent_name as agent', 'trigger_kind as trigger'])
    .orderBy('runs_runs.created_at', 'desc')
    .orderBy('runs_runs.id', 'desc')
    .limit(limit)
    .execute()
}

/** Indexed fields of the spec of an agent; undefined for an unknown one. */
export async function readIndexedAgent(
  db: Pick<Reader<RunsTables>, 'getExecutor'>,
  uid: string,
): Promise<IndexedAgent> {
  const { rows } = await sql<{ spec: IndexedAgent }>`
    select spec from object_index where uid = ${uid} and kind = 'AgentDeployment'`.execute(db)
  return rows[0]?.spec ?? null
}
