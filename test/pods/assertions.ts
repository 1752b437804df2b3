import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { at } from './api.ts'
import type { Cluster } from './cluster.ts'
import type { Load } from './load.ts'

/** Differences between what was accepted and what was recorded; each list must be empty. */
export interface Comparison {
  readonly lost: readonly string[]
  readonly duplicated: readonly string[]
  readonly unaccounted: readonly string[]
  /** Number of runs by final state. */
  readonly states: Readonly<Record<string, number>>
  readonly templates: number
}

const final = [...terminalStates]

/** Whether all runs accepted before `instant` have ended and one accepted after it has succeeded. */
export async function runsGoOn(database: Database, instant: Date): Promise<boolean> {
  const { rows } = await sql<{ open: number; later: number }>`
    select count(*) filter (where created_at <= ${instant} and state <> all(${final}))::int as open,
      count(*) filter (where created_at > ${instant} and state = 'succeeded')::int as later
    from runs_runs`.execute(database.root)
  return rows[0] !== undefined && rows[0].open === 0 && rows[0].later > 0
}

/** Whether every run has ended. */
export async function allEnded(database: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from runs_runs where state <> all(${final}) limit 1`.execute(database.root)
  return rows.length === 0
}

/**
 * Compares what was accepted with the database, the cluster, the audit log and the agents' log. The database and the cluster show what
 * happened even if a response was lost.
 */
export async function compareRecords(
  { cluster, database }: { readonly cluster: Cluster; readonly database: Database },
  load: Pick<Load, 'runs' | 'templates'>,
  invokes: ReadonlyMap<string, number>,
): Promise<Comparison> {
  const runs = await sql<{ id: string; state: string }>`select id::text as id, state from runs_runs`.execute(
    database.root,
  )
  const templates = await templatesOf(cluster)
  const audited = await auditRows(database)
  const made = [...runs.rows.map(({ id }) => `Run ${id}`), ...[...templates].map((name) => `AgentTemplate ${name}`)]
  const known = new Set(made)
  const accepted = [...load.runs]
    .map((id) => `Run ${id}`)
    .concat([...load.templates].map((name) => `AgentTemplate ${name}`))
  return {
    lost: [
      ...accepted.filter((act) => !known.has(act)).map((act) => `${act} was accepted and is not there`),
      ...runs.rows.filter(({ state }) => !final.some((one) => one === state)).map(({ id }) => `Run ${id} did not end`),
      ...made.filter((act) => !audited.has(act)).map((act) => `${act} has no row`),
    ],
    duplicated: [
      ...[...audited].filter(([, rows]) => rows > 1).map(([act, rows]) => `${act} has ${rows} rows`),
      ...[...invokes].filter(([, count]) => count > 1).map(([id, count]) => `Run ${id} was invoked ${count} times`),
    ],
    unaccounted: [...audited.keys()]
      .filter((act) => !known.has(act))
      .map((act) => `a row of ${act}, which is not there`),
    states: countBy(runs.rows.map(({ state }) => state)),
    templates: templates.size,
  }
}

async function auditRows(database: Database): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ act: string; count: number }>`
    select resource_kind || ' ' || resource_name as act, count(*)::int as count from audit_log
    where action = 'create' and outcome = 'success' and namespace = 'demo' and resource_kind in ('Run', 'AgentTemplate')
    group by 1`.execute(database.root)
  return new Map(rows.map(({ act, count }) => [act, count]))
}

async function templatesOf(cluster: Cluster): Promise<ReadonlySet<string>> {
  const list: unknown = JSON.parse(await cluster.kubectl(['-n', 'demo', 'get', 'agenttemplates', '-o', 'json']))
  const items = at(list, 'items')
  if (!Array.isArray(items)) throw new Error('no list of templates')
  return new Set(items.map((one) => String(at(one, 'metadata', 'name'))))
}

function countBy(values: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]))
}
