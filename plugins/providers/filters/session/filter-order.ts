import { isObject } from '#core/json/is-object.ts'
import type { OwnedValue } from '#core/jobs/extension-point.ts'
import { didYouMean } from '#schemas/values/nearest.ts'
import type { ModelFilter } from '../../contract/model-filter.ts'

/** Limits of the values that a filter declares. */
export const filterLimits = { timeoutMs: 60_000, defaultTimeoutMs: 5_000, lookBack: 65_536 } as const

const validName = /^[a-z][a-z0-9-]{0,62}(?:\.[a-z][a-z0-9-]{0,62})+$/

/** Throws if a filter is invalid, names a filter that does not exist, or if the declared order has a cycle. */
export function checkFilters(contributed: readonly OwnedValue<ModelFilter>[]): void {
  for (const one of contributed) {
    const problem = problemOf(one.value, one.plugin)
    if (problem !== undefined) throw new TypeError(`${one.owner}: its filter ${problem}`)
  }
  const names = contributed.map(({ value }) => value.name)
  for (const { owner, value } of contributed)
    for (const other of [...(value.before ?? []), ...(value.after ?? [])])
      if (!names.includes(other))
        throw new TypeError(
          `${owner}: the filter ${value.name} refers to the filter ${JSON.stringify(other.slice(0, 80))}, which no plugin contributes${didYouMean(other, names)}`,
        )
  orderFilters(contributed.map(({ value }) => value))
}

/**
 * Returns the filters in the order of requests: as declared by `before` and `after`, and by name where nothing is declared, so that the
 * order does not depend on the order of plugins. Throws for a cycle.
 */
export function orderFilters(filters: readonly ModelFilter[]): readonly ModelFilter[] {
  const earlier = new Map(filters.map(({ name, after = [] }) => [name, new Set(after)]))
  for (const { name, before = [] } of filters) for (const later of before) earlier.get(later)?.add(name)
  let open = filters.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const ordered: ModelFilter[] = []
  while (open.length > 0) {
    const next = open.find(({ name }) => !open.some((other) => earlier.get(name)?.has(other.name)))
    if (next === undefined) {
      const names = open.map(({ name }) => name).join(', ')
      throw new TypeError(`the filters ${names} have no order: before and after contradict each other`)
    }
    ordered.push(next)
    open = open.filter((one) => one !== next)
  }
  return ordered
}

// Untyped plugins may contribute anything.
function problemOf(filter: unknown, plugin: string): string | undefined {
  if (!isObject(filter)) return 'is not an object'
  const { name, timeoutMs, onFailure } = filter
  if (typeof name !== 'string' || !validName.test(name) || !name.startsWith(`${plugin}.`))
    return `must have a name such as ${plugin}.secrets`
  if (typeof filter.open !== 'function') return `${name}: open must be a function`
  for (const field of ['before', 'after']) {
    const list = filter[field]
    if (list !== undefined && !(Array.isArray(list) && list.every((one) => typeof one === 'string')))
      return `${name}: ${field} must be a list of names of filters`
  }
  if (onFailure !== undefined && onFailure !== 'refuse' && onFailure !== 'pass')
    return `${name}: onFailure must be refuse or pass`
  if (timeoutMs !== undefined && !isWithin(timeoutMs, 1, filterLimits.timeoutMs))
    return `${name}: timeoutMs must be an integer from 1 to ${filterLimits.timeoutMs}`
  return undefined
}

/** Whether a value is an integer within a range. */
export function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}
