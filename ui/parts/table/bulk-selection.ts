/** The most rows that one action may have. */
export const BULK_LIMIT = 50

/** The keys of selected rows, and the row from which a further selection extends. */
export interface BulkState {
  readonly selected: ReadonlySet<string>
  readonly anchor: string | undefined
}

export const nothingSelected: BulkState = { selected: new Set(), anchor: undefined }

/** Selects a row, or takes it out. Nothing is added to a full selection. */
export function toggleRow({ selected }: BulkState, key: string): BulkState {
  const next = new Set(selected)
  if (!next.delete(key) && next.size < BULK_LIMIT) next.add(key)
  return { selected: next, anchor: key }
}

/** Adds the rows from the anchor to a row, nearest to the anchor first, as far as there is place. */
export function extendTo({ selected, anchor }: BulkState, key: string, keys: readonly string[]): BulkState {
  const to = keys.indexOf(key)
  const from = anchor === undefined ? to : keys.indexOf(anchor)
  if (to < 0) return { selected, anchor }
  const start = from < 0 ? to : from
  const range = start <= to ? keys.slice(start, to + 1) : keys.slice(to, start + 1).toReversed()
  const next = new Set(selected)
  for (const one of range) if (next.size < BULK_LIMIT) next.add(one)
  return { selected: next, anchor: keys[start] }
}
