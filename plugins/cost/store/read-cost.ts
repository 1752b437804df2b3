import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { AccessScope } from '#core/cluster/caller.ts'
import { hadOtherNamespace, inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import { METERED_WITHIN_SECONDS } from '#plugins/runs/contract/events.ts'
import type { CostTables } from '../contract/tables.ts'
import type { Period } from './period.ts'
import { foldOthers } from './top-values.ts'
import type { TopValues } from './top-values.ts'

/** Proofs of a review of `costs`; the namespace '' is the whole cluster. */
export type CostAccess = AccessScope<'list', 'costs'>

/** Calls, tokens and cost of one group. Counts are integers as strings. */
export interface GroupSums {
  /** Values of the keys, in their order; an empty string if a call has no such value. */
  readonly keys: readonly string[]
  readonly calls: string
  readonly unpriced: string
  /** Calls that are answered but not yet metered. */
  readonly pending: string
  readonly input: string
  readonly output: string
  readonly cached: string
  readonly reasoning: string
  /** Micro-units as strings by currency, of calls with a known price. */
  readonly micros: Readonly<Record<string, string>>
}

/** Key of a group: a column of a line, a label key of the agent with the prefix `=`, or the tenant of the namespace. */
export type GroupKey =
  | (typeof columns)[number]
  | { readonly label: string }
  | { readonly tenants: ReadonlyMap<string, string> }

/** Groups to read, in the order of their keys. */
export interface GroupQuery {
  readonly period: Period
  readonly by: readonly GroupKey[]
  readonly limit: number
  /** Keys of the group that precedes the page. */
  readonly after?: readonly string[] | undefined
  /** Shows the most expensive values of the last keys; the others are one group. Adds a key before them, which is `1` for that group. */
  readonly top?: TopValues | undefined
}

const columns = [
  'day',
  'namespace',
  'namespace_uid',
  'agent',
  'agent_uid',
  'subject',
  'provider',
  'model',
  'operation',
  'currency',
  'price',
] as const

/**
 * Sums of the lines of the proofs' namespaces by group. For a namespace, only lines of the live namespace are read; for the whole cluster also those
 * of deleted ones, since their money was spent.
 */
export async function readGroups(
  db: Reader<CostTables>,
  access: CostAccess,
  { period, by, limit, after, top }: GroupQuery,
): Promise<readonly GroupSums[]> {
  const keys = by.map(toExpression)
  const names = keys.map((_, index) => sql.ref(`k${index}`))
  const named = keys.map((key, index) => sql`${key} as ${names[index] ?? sql``}`)
  const folded = top === undefined ? undefined : foldOthers(names, top)
  const list = sql.join(folded?.names ?? names)
  const { rows } = await sql<Omit<GroupSums, 'keys'> & { keys: readonly string[] }>`
    with lines as (${linesOf(access, period)}),
    by_currency as (
      select ${sql.join(named)}, currency as paid_in, sum(calls) as calls, sum(unpriced) as unpriced, sum(pending) as pending, sum(input_tokens) as input,
        sum(output_tokens) as output, sum(cached_tokens) as cached, sum(reasoning_tokens) as reasoning, sum(micros) as micros
      from lines group by ${sql.join(names)}, currency)${folded?.tables ?? sql``}
    select array[${list}] as keys, sum(calls)::text as calls, sum(unpriced)::text as unpriced, sum(pending)::text as pending, sum(input)::text as input,
      sum(output)::text as output, sum(cached)::text as cached, sum(reasoning)::text as reasoning,
      coalesce(jsonb_object_agg(paid_in, micros::text) filter (where paid_in <> ''), '{}') as micros
    from ${folded === undefined ? sql`by_currency` : sql`folded`}
    ${after === undefined ? sql`` : sql`where (${list}) > (${sql.join(after.map((one) => sql`${one}::text collate "C"`))})`}
    group by ${list} order by ${list} limit ${limit}`.execute(db)
  return rows
}

function toExpression(key: GroupKey): RawBuilder<string> {
  if (typeof key === 'string') return sql<string>`${sql.ref(key)}::text collate "C"`
  // A label may be empty, which differs from an absent label.
  if ('label' in key) return sql<string>`coalesce('=' || (labels ->> ${key.label}::text), '') collate "C"`
  const tenants = JSON.stringify(Object.fromEntries(key.tenants))
  return sql<string>`coalesce(${tenants}::jsonb ->> namespace, '') collate "C"`
}

function linesOf(access: CostAccess, { from, to }: Period): RawBuilder<unknown> {
  const uid = sql<string>`coalesce(nullif(a.namespace_uid, ''), d.namespace_uid)`
  const names = access.map(({ namespace }) => namespace)
  const placed = (of: RawBuilder<string>): RawBuilder<unknown> => {
    const place = names.includes('') ? sql`` : sql`and d.namespace = any(${names}::text[]) and ${isOfLive(of)}`
    return sql`d.day between ${from}::date and ${to}::date ${place}`
  }
  const where = placed(uid)
  return sql`
    select d.day, d.namespace, ${uid} as namespace_uid, coalesce(a.name, d.agent) as agent, d.agent_uid, '' as subject, d.provider,
      d.model, d.operation, d.currency, d.price, d.calls, d.unpriced, 0 as pending, d.input_tokens, d.output_tokens, d.cached_tokens, d.reasoning_tokens,
      d.micros, a.labels
    from cost_days d left join cost_agents a on a.uid = d.agent_uid where ${where}
    union all ${personsOf(placed(sql<string>`d.namespace_uid`))}
    union all ${reportsOf(sql`not d.metered and ${where}`, uid)}
    union all ${reportsOf(sql`d.metered and d.reported > d.answered and ${isRecent} and ${where}`, uid)}`
}

function personsOf(where: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select d.day, d.namespace, d.namespace_uid, '', '', d.subject, d.provider, d.model, d.operation, d.currency, d.price, d.calls, d.unpriced, 0,
      d.input_tokens, d.output_tokens, d.cached_tokens, d.reasoning_tokens, d.micros, null::jsonb
    from cost_persons d where ${where}`
}

const isRecent = sql`d.reported_at > clock_timestamp() - make_interval(secs => ${METERED_WITHIN_SECONDS})`

// Usage that runs reported. For a run with metered calls, these are the calls not yet metered: the others are lines of days.
function reportsOf(where: RawBuilder<unknown>, uid: RawBuilder<string>): RawBuilder<unknown> {
  const pending = sql`case when ${isRecent} then d.reported - d.answered else 0 end`
  return sql`
    select d.day, d.namespace, ${uid}, coalesce(a.name, ''), d.agent_uid, '', '', '', 'reported', '', '',
      case when d.metered then ${pending} else d.calls end, case when d.metered then 0 else d.unpriced - ${pending} end,
      ${pending}, d.input_tokens, d.output_tokens, d.cached_tokens, d.reasoning_tokens, 0, a.labels
    from cost_runs d left join cost_agents a on a.uid = d.agent_uid where ${where}`
}

// SEC17: a re-created namespace does not have the cost of its predecessor. Lines from before the first observation have no uid.
function isOfLive(uid: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`(${inLiveNamespace(uid)} or (${uid} = '' and not ${hadOtherNamespace(sql.ref('d.namespace'))}))`
}
