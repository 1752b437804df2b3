import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { Projection } from '#core/event-store/store.ts'
import { modelCallMetered } from '#plugins/providers/contract/events.ts'
import { runDeleted, usageReported } from '../contract/events.ts'
import type { RunsTables } from '../contract/tables.ts'
import { toAdditions } from './cost-additions.ts'

type Event = Omit<StoredEvent, 'position'>
type Db = Transaction<RunsTables>

/** Costs of the model calls of runs, from events only (ADR 0157). A group of events is folded into one statement. */
export const runCostsProjection: Projection = {
  name: 'runs.costs',
  version: 1,
  tables: ['runs_costs'],
  types: [modelCallMetered, usageReported, runDeleted],
  apply: (event, tx) => applyEvents([event], tx.withTables<RunsTables>()),
  applyAll: (events, tx) => applyEvents(events, tx.withTables<RunsTables>()),
}

async function applyEvents(events: readonly Event[], db: Db): Promise<void> {
  const additions = toAdditions(events.filter(({ type }) => type !== runDeleted.type))
  if (additions.length > 0) await add(JSON.stringify(additions), db)
  const deleted = events.filter(({ type }) => type === runDeleted.type)
  if (deleted.length === 0) return
  const ids = deleted.map(({ data }) => (data as { readonly runId: string }).runId)
  await db.deleteFrom('runs_costs').where('run_id', 'in', ids).execute()
}

// The run's row is locked until COMMIT, so a run removed meanwhile leaves no cost row. Rows are locked in the order of their ids.
async function add(additions: string, db: Db): Promise<void> {
  await sql`with given as (
      select * from jsonb_to_recordset(${additions}::jsonb) as given(run_id uuid, calls numeric, unpriced numeric, answered numeric,
        metered boolean, model text, micros numeric, currency text, mixed boolean, reported numeric, own_reports numeric, reported_at timestamptz)),
    present as (select id from runs_runs where id in (select run_id from given) order by id for key share)
    insert into runs_costs (run_id, calls, unpriced, answered, metered, model, micros, currency, mixed, reported, own_reports, reported_at)
    select run_id, calls, unpriced, answered, metered, model, micros, currency, mixed, reported, own_reports, reported_at
    from given join present on present.id = given.run_id order by run_id
    on conflict (run_id) do update set
      calls = runs_costs.calls + excluded.calls, unpriced = runs_costs.unpriced + excluded.unpriced,
      answered = runs_costs.answered + excluded.answered, metered = runs_costs.metered or excluded.metered,
      model = coalesce(runs_costs.model, excluded.model), micros = runs_costs.micros + excluded.micros, currency = coalesce(runs_costs.currency, excluded.currency),
      mixed = runs_costs.mixed or excluded.mixed or coalesce(runs_costs.currency <> excluded.currency, false),
      reported = runs_costs.reported + excluded.reported, own_reports = runs_costs.own_reports + excluded.own_reports,
      reported_at = greatest(runs_costs.reported_at, excluded.reported_at)`.execute(db)
}
