import type { SearchValues } from '#ui/contract/search.ts'
import { toInstants } from '#ui/parts/filter/ranges.ts'
import type { TimeSpan } from '#ui/parts/filter/ranges.ts'

/** Filters of the list and of its statistics, by their name in the address and in the API. */
const filterNames = [
  'agent',
  'state',
  'failReason',
  'trigger',
  'subject',
  'model',
  'parent',
  'label',
  'conversationId',
  'minDuration',
  'hasFeedback',
  'q',
] as const

/** Name of a filter. */
export type FilterName = (typeof filterNames)[number]

/** The range of an address that names none. */
export const defaultRange: TimeSpan = { from: '24h' }

/** States of the choice, by their value in the address. A failure is what the statistics count as one. */
export const stateChoices = {
  all: '',
  running: 'queued,running,cancelling',
  paused: 'paused',
  failed: 'failed,timed_out,rejected',
  succeeded: 'succeeded',
} as const

/** The range of the address. */
export function rangeOf({ from, to }: SearchValues): TimeSpan {
  const given = from === undefined ? defaultRange : { from, to }
  return toInstants(given, 0) === undefined ? defaultRange : given
}

/** The filters of the address that are set, beside the range. */
export function setFilters(search: SearchValues): readonly FilterName[] {
  return filterNames.filter((name) => search[name] !== undefined)
}

/** What both requests of the page ask for. `now` is that of the opened page, so that the address of the request stays the same. */
export function toRunListQuery(search: SearchValues, now: number): SearchValues {
  const filters = Object.fromEntries(filterNames.map((name) => [name, search[name]]))
  const scope = search['namespace'] === undefined ? { scope: 'permitted' } : { namespace: search['namespace'] }
  return { ...scope, ...filters, ...toInstants(rangeOf(search), now) }
}

/** Changes of the address that remove all filters. */
export function withoutFilters(): SearchValues {
  return { ...Object.fromEntries(filterNames.map((name) => [name, undefined])), cursor: undefined }
}
