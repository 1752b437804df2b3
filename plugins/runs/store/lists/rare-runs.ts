import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { RunFilter } from '../../contract/caller-runs.ts'
import type { RunsTables } from '../../contract/tables.ts'

/** Runs that are found by an index of their own; with more of them, a page is found soon by reading runs in their order. */
const MAX_RARE = 1000

/** The filter with the ids of rare runs, for the first of its conditions whose index is not in the order of lists. */
export async function withRareIds(db: Reader<RunsTables>, filter: RunFilter): Promise<RunFilter> {
  const { prefix, minDurationMs, model, hasFeedback } = filter
  if (prefix !== undefined) return replaced(filter, 'prefix', await idsWithPrefix(db, prefix))
  if (minDurationMs !== undefined) return replaced(filter, 'minDurationMs', await idsOfLong(db, minDurationMs))
  if (model !== undefined) return replaced(filter, 'model', await idsOf(db, sql`runs_costs where model = ${model}`))
  return hasFeedback === true ? replaced(filter, 'hasFeedback', await idsOf(db, sql`runs_rated`)) : filter
}

function replaced(filter: RunFilter, name: keyof RunFilter, ids: readonly string[] | undefined): RunFilter {
  return ids === undefined ? filter : { ...filter, [name]: undefined, ids }
}

async function idsOf(db: Reader<RunsTables>, source: RawBuilder<unknown>): Promise<readonly string[] | undefined> {
  const { rows } = await sql<{ id: string }>`select run_id as id from ${source} limit ${MAX_RARE + 1}`.execute(db)
  return rows.length > MAX_RARE ? undefined : rows.map(({ id }) => id)
}

// In the order of their index, which the planner then uses.
async function idsOfLong(db: Reader<RunsTables>, minDurationMs: number): Promise<readonly string[] | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from runs_runs where finished_at is not null
      and (finished_at - started_at) >= make_interval(secs => ${minDurationMs / 1000})
    order by (finished_at - started_at) desc, id desc limit ${MAX_RARE + 1}`.execute(db)
  return rows.length > MAX_RARE ? undefined : rows.map(({ id }) => id)
}

// Undefined if there are more.
async function idsWithPrefix(db: Reader<RunsTables>, prefix: string): Promise<readonly string[] | undefined> {
  const limit = MAX_RARE + 1
  const ids = idRange(prefix)
  const byId = ids === undefined ? sql`` : sql`union (select id from runs_runs where ${isWithin(ids)} limit ${limit})`
  const { rows } = await sql<{ id: string }>`
    (select id from runs_runs where subject like ${toPattern(prefix)} limit ${limit})
    union (select run_id from runs_labels where value like ${toPattern(prefix)} limit ${limit}) ${byId}
    limit ${limit}`.execute(db)
  return rows.length > MAX_RARE ? undefined : rows.map(({ id }) => id)
}

/** Whether the id, the subject or the value of a label of a run has a prefix. */
export function isPrefixed(prefix: string): RawBuilder<boolean> {
  const ids = idRange(prefix)
  return sql<boolean>`(runs_runs.subject like ${toPattern(prefix)} ${ids === undefined ? sql`` : sql`or ${isWithin(ids)}`}
    or exists (select from runs_labels l where l.run_id = runs_runs.id and l.value like ${toPattern(prefix)}))`
}

function toPattern(prefix: string): string {
  return `${prefix.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
}

function isWithin([first, last]: readonly [string, string]): RawBuilder<unknown> {
  return sql`runs_runs.id between ${first}::uuid and ${last}::uuid`
}

const form = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'

// The first and the last UUID with a prefix.
function idRange(prefix: string): readonly [string, string] | undefined {
  const rest = form.slice(prefix.length)
  const fits = [...prefix.toLowerCase()].every((sign, at) => (form[at] === '-' ? sign === '-' : /[0-9a-f]/.test(sign)))
  if (prefix.length > form.length || !fits) return undefined
  return [prefix + rest.replaceAll('x', '0'), prefix + rest.replaceAll('x', 'f')]
}
