import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { EvalTables, SelectedEvaluation } from '../contract/tables.ts'

/** A revision that a gate judges. Its number is known once it runs. */
export interface GatedRevision {
  readonly agentUid: string
  /** Name of the ControllerRevision. */
  readonly revision: string
  readonly number: number | undefined
}

/** What a gate decides by. */
export interface GateState {
  /** The newest evaluation that was not cancelled. */
  readonly newest: SelectedEvaluation | undefined
  readonly overridden: boolean
}

/** Reads what is known about a revision under a suite. */
export async function readOfRevision(
  db: Reader<EvalTables>,
  { agentUid, revision, number }: GatedRevision,
  suiteUid = '',
): Promise<GateState> {
  const newest = await db
    .selectFrom('evals_evaluations')
    .selectAll()
    .where('agent_uid', '=', agentUid)
    .where('revision_name', '=', revision)
    .where('suite_uid', '=', suiteUid)
    .where('phase', '<>', 'Cancelled')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const override = await db
    .selectFrom('evals_overrides')
    .select('revision')
    .where('agent_uid', '=', agentUid)
    .where(sql<boolean>`(revision_name = ${revision} or (revision_name = '' and revision = ${number ?? 0}))`)
    .executeTakeFirst()
  return { newest, overridden: override !== undefined }
}

/** Which revisions of agents passed an evaluation, of these pairs of uid and ControllerRevision. */
export async function countPassed(
  db: Reader<EvalTables>,
  deployed: readonly { readonly uid: string; readonly revision: string }[],
): Promise<number> {
  if (deployed.length === 0) return 0
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jsonb_to_recordset(${JSON.stringify(deployed)}::jsonb) as given (uid text, revision text)
    where exists (select 1 from evals_evaluations e where e.agent_uid = given.uid and e.revision_name = given.revision
      and e.phase = 'Passed')`.execute(db)
  return rows[0]?.count ?? 0
}
