import type { AccessScope } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import { sql } from 'kysely'
import type { RunFilter } from '../../contract/caller-runs.ts'
import type { RunsTables } from '../../contract/tables.ts'
import { hasLabel, narrowed } from './select-runs.ts'
import { uidsOf } from './live-namespaces.ts'

/** Ids of at most `limit` runs of the proofs' namespaces, in any order. */
export async function readRunIds(
  db: Reader<RunsTables>,
  access: AccessScope<'list', 'runs'>,
  filter: RunFilter,
  limit: number,
): Promise<readonly string[]> {
  const among = sql<boolean>`runs_runs.namespace_uid = any(array(${uidsOf(access)}))`
  const runs = narrowed(db.selectFrom('runs_runs').selectAll('runs_runs').where(among), filter)
  const labelled = filter.label === undefined ? runs : runs.where(hasLabel(filter.label))
  return (await labelled.clearSelect().select('runs_runs.id').limit(limit).execute()).map(({ id }) => id)
}
