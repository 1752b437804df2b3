import { sql } from 'kysely'
import type { AccessScope } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { RunsTables } from '../../contract/tables.ts'
import { uidsOf } from '../lists/live-namespaces.ts'
import { matchesFilter } from './sums.ts'
import type { SumsFilter, SumsPiece } from './sums.ts'

/** Rows of each start of sums from which subjects are chosen. */
const CANDIDATES = 100

/** Runs whose subjects are asked for. */
export interface SubjectsQuery {
  readonly access: AccessScope<'list', 'runs'>
  readonly pieces: readonly SumsPiece[]
  readonly filter: SumsFilter
  readonly top: number
}

/**
 * The subjects with the most runs, of those that are among the hundred largest rows of a start within the window: so the cost does not depend on the
 * number of subjects. Their sums are exact; a subject that is never among them may be missing.
 */
export async function topSubjects(
  db: Reader<RunsTables>,
  { access, pieces, filter, top }: SubjectsQuery,
): Promise<readonly string[]> {
  const { rows } = await sql<{ subject: string }>`
    select found.subject from (${uidsOf(access)}) n
    cross join jsonb_to_recordset(${JSON.stringify(pieces)}::jsonb) as p(width integer, "from" float8, "to" float8)
    cross join generate_series(p."from"::bigint, p."to"::bigint - p.width, p.width) as at(start)
    cross join lateral (
      select subject, runs from runs_subject_sums s
      where s.namespace_uid = n.uid and s.width = p.width and s.start = to_timestamp(at.start) and ${matchesFilter(filter)}
      order by runs desc limit ${CANDIDATES}) found
    group by 1 order by sum(found.runs) desc, found.subject limit ${top}`.execute(db)
  return rows.map(({ subject }) => subject)
}
