import type { Kysely } from 'kysely'
import { defineStatement } from '#core/database/statement.ts'
import type { Placeholders } from '#core/database/statement.ts'
import type { RunsTables, SelectedRun } from '../../contract/tables.ts'
import type { Db } from './db.ts'

/** Reads a run by id, without a proof. */
export function findRun(db: Db, runId: string): Promise<SelectedRun | undefined> {
  return selectRun.first(db, { runId })
}

const selectRun = defineStatement((db: Kysely<RunsTables>, p: Placeholders<{ runId: string }>) =>
  db.selectFrom('runs_runs').selectAll().where('id', '=', p.runId),
)
