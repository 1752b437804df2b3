import { sumAmounts } from '#ui/parts/format/money.ts'
import type { DayAmounts } from '#ui/parts/figure/day-stacks.ts'
import { amountOf, groupName } from './cost-days.ts'
import type { CostDimension, GroupRow } from './cost-days.ts'

/** A row of the table. */
export interface TableRowSums {
  readonly key: string
  /** By dimension: null has no name, undefined is all others. */
  readonly names: readonly (string | null | undefined)[]
  readonly namespace: string | undefined
  /** Undefined if it is not known. */
  readonly amount: string | undefined
  readonly calls: number
  readonly tokens: number
}

/** Rows of the table of groups without days. */
export function toTableRows(
  rows: readonly GroupRow[],
  dimensions: readonly CostDimension[],
  currency: string,
): readonly TableRowSums[] {
  return rows.map((row) => ({
    key: JSON.stringify([
      row.other,
      row.namespace,
      row.namespaceUid,
      row.agent?.uid,
      row.model,
      row.provider,
      row.tenant,
      row.subject,
    ]),
    names: dimensions.map((dimension) => groupName(row, dimension)),
    namespace: dimensions.includes('agent') ? row.namespace : undefined,
    amount: amountOf(row, currency),
    calls: row.calls,
    tokens: row.inputTokens + row.outputTokens,
  }))
}

/** Adds up the rows of days to a row of each group, the most expensive one first and all others last. */
export function sumOfDays(
  rows: readonly GroupRow[],
  dimension: CostDimension,
  currency: string,
): readonly TableRowSums[] {
  const groups = new Map<string, TableRowSums[]>()
  for (const row of toTableRows(rows, [dimension], currency)) groups.set(row.key, [...(groups.get(row.key) ?? []), row])
  return [...groups.values()].map(addRows).toSorted((a, b) => rankOf(b) - rankOf(a))
}

function addRows(rows: readonly TableRowSums[]): TableRowSums {
  const [first] = rows as readonly [TableRowSums]
  const amounts = rows.flatMap(({ amount }) => (amount === undefined ? [] : [amount]))
  const add = (of: (row: TableRowSums) => number): number => rows.reduce((sum, row) => sum + of(row), 0)
  return {
    ...first,
    amount: amounts.length === 0 ? undefined : sumAmounts(amounts),
    calls: add(({ calls }) => calls),
    tokens: add(({ tokens }) => tokens),
  }
}

function rankOf({ names: [name], amount = '0' }: TableRowSums): number {
  return name === undefined ? -1 : Number(amount)
}

/** The days of a chart with the amounts of their groups. */
export function toDayAmounts(
  days: readonly string[],
  rows: readonly GroupRow[],
  {
    dimension,
    currency,
    nameless,
    others,
  }: {
    readonly dimension: CostDimension
    readonly currency: string
    readonly nameless: string
    readonly others: string
  },
): readonly DayAmounts[] {
  const byDay = new Map<string, Record<string, string>>(days.map((day) => [day, {}]))
  for (const row of rows) {
    const amounts = byDay.get(row.day ?? '')
    const amount = amountOf(row, currency)
    if (amounts === undefined || amount === undefined || Number(amount) === 0) continue
    const name = groupName(row, dimension)
    const label = name === undefined ? others : (name ?? nameless)
    // Agents of two namespaces may have one name.
    amounts[label] = sumAmounts([amounts[label] ?? '0', amount])
  }
  const last = days.at(-1)
  return days.map((day) => ({ day, amounts: byDay.get(day) ?? {}, isPartial: day === last }))
}
