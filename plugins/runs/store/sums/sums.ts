import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { AccessScope } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import { uidsOf } from '../lists/live-namespaces.ts'
import type { RunsTables } from '../../contract/tables.ts'

/** Rows of one width, from a start up to another one, which is excluded. Times are seconds since 1970. */
export interface SumsPiece {
  readonly width: number
  readonly from: number
  readonly to: number
}

/** Column by which sums are grouped. */
export type SumsKey = 'agent_uid' | 'state' | 'fail_reason' | 'model' | 'subject' | 'trigger_kind' | 'namespace'

/** Runs to sum up: rows of sums within pieces of a window, or runs by id. */
export type SumsSource =
  | { readonly access: AccessScope<'list', 'runs'>; readonly pieces: readonly SumsPiece[]; readonly subjects: boolean }
  | { readonly ids: readonly string[] }

/** Values of columns; an absent one is any. */
export type SumsFilter = Partial<Readonly<Record<SumsKey | 'agent', readonly string[]>>>

/** Sums to read. */
export interface SumsQuery {
  readonly source: SumsSource
  readonly filter: SumsFilter
  readonly key?: SumsKey | undefined
  /** Number of groups with the most runs. */
  readonly top: number
  /** Width of bins in seconds. */
  readonly binSeconds?: number | undefined
}

/** Sums of all runs, of a bin, of a group, or of a bin of a group, in one currency. Numbers are whole numbers as strings. */
export interface SumsLine {
  readonly part: 'all' | 'bin' | 'group' | 'bin of group'
  readonly key: string | null
  /** Start of the bin, in seconds since 1970. */
  readonly bin: number | null
  readonly namespace: string
  readonly agent: string
  readonly currency: string
  readonly runs: string
  readonly succeeded: string
  readonly failed: string
  readonly paused: string
  readonly input_tokens: string
  readonly output_tokens: string
  readonly cached_tokens: string
  readonly reasoning_tokens: string
  readonly micros: string
  readonly duration: string | null
  readonly queue: string | null
  readonly first_token: string | null
}

const counts = ['runs', 'succeeded', 'failed', 'paused', 'input_tokens', 'output_tokens', 'cached_tokens'] as const
const numbers = [...counts, 'reasoning_tokens', 'micros'] as const
const times = ['duration', 'queue', 'first_token'] as const

/** Reads sums; the cost depends on the length of the window and the number of agents, not on the number of runs. */
export async function readSums(db: Reader<RunsTables>, query: SumsQuery): Promise<readonly SumsLine[]> {
  const { source, filter, key, top, binSeconds } = query
  const column = key === undefined ? sql`''` : sql`${sql.ref(key)} collate "C"`
  const { rows } = await sql<SumsLine>`
    with grouped as materialized (
      select ${column} as key, ${binOf(source, binSeconds)} as bin, currency, max(namespace) as namespace, max(agent) as agent,
        sum(runs) as runs, ${countOf(['succeeded'])} as succeeded, ${countOf(['failed', 'timed_out', 'rejected'])} as failed,
        ${countOf(['paused'])} as paused, ${listOf([...numbers.slice(4), ...times], (name) => sql`sum(${name}) as ${name}`)}
      from (${sourceOf(source)}) cells where ${matchesFilter(filter)} and ${withoutEvals(query)} group by 1, 2, 3),
    tops as (select key from grouped group by key order by sum(runs) desc, key limit ${top})
    ${part('all', [], true)}
    union all ${part('bin', ['bin'], true)}
    union all ${part('group', ['key'], true)}
    union all ${part('bin of group', ['key', 'bin'], false)}`.execute(db)
  return rows
}

function part(name: SumsLine['part'], by: readonly ('key' | 'bin')[], hasTimes: boolean): RawBuilder<unknown> {
  const given = (column: 'key' | 'bin', none: RawBuilder<unknown>) => (by.includes(column) ? sql.ref(column) : none)
  const isWanted = by.includes('bin') ? sql`bin is not null` : sql`true`
  const isTop = by.includes('key') ? sql`key in (select key from tops)` : sql`true`
  const spans = (column: RawBuilder<unknown>) => (hasTimes ? sql`sum(${column})::text` : sql`null::text`)
  return sql`select ${name}::text as part, ${given('key', sql`null::text`)} as key, ${given('bin', sql`null::float8`)} as bin,
      max(namespace) as namespace, max(agent) as agent, currency,
      ${listOf(numbers, (column) => sql`sum(${column})::text as ${column}`)},
      ${listOf(times, (column) => sql`${spans(column)} as ${column}`)}
    from grouped where ${isWanted} and ${isTop} group by ${sql.join([...by, 'currency'].map((column) => sql.ref(column)))}`
}

function listOf(names: readonly string[], toSql: (name: RawBuilder<unknown>) => RawBuilder<unknown>) {
  return sql.join(names.map((name) => toSql(sql.ref(name))))
}

function countOf(states: readonly string[]): RawBuilder<unknown> {
  return sql`coalesce(sum(runs) filter (where state in (${sql.join(states.map((state) => sql.lit(state)))})), 0)`
}

function binOf(source: SumsSource, binSeconds: number | undefined): RawBuilder<unknown> {
  if (binSeconds === undefined) return sql`null::float8`
  const time = 'ids' in source ? sql`minute` : sql`start`
  return sql`(floor(extract(epoch from ${time}) / ${binSeconds}::int) * ${binSeconds}::int)::float8`
}

/** Whether a row of sums has the values of a filter. */
export function matchesFilter(filter: SumsFilter): RawBuilder<unknown> {
  const parts = Object.entries(filter).map(
    ([column, values]) => sql`${sql.ref(column)} = any(${[...(values ?? [])]}::text[])`,
  )
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `)
}

// Runs of evaluations say nothing about production; they are counted where someone asks for triggers.
function withoutEvals({ filter, key }: SumsQuery): RawBuilder<unknown> {
  return filter.trigger_kind !== undefined || key === 'trigger_kind' ? sql`true` : sql`trigger_kind <> 'eval'`
}

function sourceOf(source: SumsSource): RawBuilder<unknown> {
  if ('ids' in source)
    return sql`select minute, namespace, agent, agent_uid, state, fail_reason, trigger_kind, model, currency, subject, 1 as runs,
        ${listOf(numbers.slice(4), (name) => name)}, ${listOf(times, (name) => sql`runs_histogram(${name}) as ${name}`)}
      from runs_contributions(${[...source.ids]}::uuid[])`
  const { access, pieces, subjects } = source
  const table = subjects ? 'runs_subject_sums' : 'runs_sums'
  // A range per piece, so that the planner knows how few rows each has and reads them by their key.
  const ranges = pieces.map(
    ({
      width,
      from,
      to,
    }) => sql`(select * from ${sql.table(table)} s where s.namespace_uid = n.uid and s.width = ${sql.lit(width)}
      and s.start >= to_timestamp(${from}::float8) and s.start < to_timestamp(${to}::float8))`,
  )
  return sql`select s.* from (${uidsOf(access)}) n cross join lateral (${sql.join(ranges, sql` union all `)}) s`
}
