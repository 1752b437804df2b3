import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

/** The values of a dimension that a breakdown shows. */
export interface TopValues {
  /** Number of values; the others are one group. */
  readonly count: number
  /** Index of the first key of the dimension, whose keys are the last ones. */
  readonly from: number
}

/** Tables that merge the other values, and the keys of `folded`. */
export interface FoldedKeys {
  readonly tables: RawBuilder<unknown>
  readonly names: readonly RawBuilder<unknown>[]
}

const sums = ['calls', 'unpriced', 'pending', 'input', 'output', 'cached', 'reasoning', 'micros']

/**
 * Keeps the most expensive values of the last keys of `by_currency`. A value ranks by its largest share of the cost of a currency, since amounts of
 * different currencies are never added; then by its calls.
 */
export function foldOthers(names: readonly RawBuilder<unknown>[], { count, from }: TopValues): FoldedKeys {
  const first = names.slice(0, from)
  const last = names.slice(from)
  const values = sql.join(last)
  const isOther = sql.ref('is_other')
  const same = sql.join(
    last.map((name) => sql`b.${name} = r.${name}`),
    sql` and `,
  )
  const kept = sql.join([
    ...first.map((name) => sql`b.${name}`),
    sql`(case when r.${last[0] ?? isOther} is null then '1' else '' end) collate "C" as ${isOther}`,
    ...last.map((name) => sql`coalesce(r.${name}, '') as ${name}`),
  ])
  const keys = [...first, isOther, ...last]
  const list = sql.join(keys)
  const added = sql.join(sums.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`))
  // Sums are by currency again, since several values become one group.
  const tables = sql`,
    shares as (
      select ${values}, sum(calls) as calls, sum(micros) / nullif(sum(sum(micros)) over (partition by paid_in), 0) as share
      from by_currency group by ${values}, paid_in),
    ranked as (
      select ${values} from shares group by ${values}
      order by coalesce(max(share), 0) desc, sum(calls) desc, ${values} limit ${count}),
    kept as (
      select ${kept}, b.paid_in, ${sql.join(sums.map((name) => sql`b.${sql.ref(name)}`))}
      from by_currency b left join ranked r on ${same}),
    folded as (select ${list}, paid_in, ${added} from kept group by ${list}, paid_in)`
  return { tables, names: keys }
}
