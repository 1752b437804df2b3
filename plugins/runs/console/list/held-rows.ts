/** Rows that are read while newer ones come. */
export interface HeldRows<Row> {
  readonly rows: readonly Row[]
  /** Rows that wait above them. */
  readonly waiting: number
}

/** The rows of a reader: those that were there when the reading began, each as it is now. Newer ones wait. */
export function holdRows<Row extends { readonly id: string }>(
  held: readonly Row[],
  fresh: readonly Row[],
): HeldRows<Row> {
  const now = new Map(fresh.map((row) => [row.id, row]))
  const known = new Set(held.map(({ id }) => id))
  return {
    rows: held.map((row) => now.get(row.id) ?? row),
    waiting: fresh.filter(({ id }) => !known.has(id)).length,
  }
}
