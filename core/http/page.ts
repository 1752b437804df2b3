/** A page as it is shown, and the item that the next one starts after: undefined at the end. */
export interface CutPage<Item> {
  readonly items: readonly Item[]
  readonly last: Item | undefined
}

/**
 * Cuts a page out of rows that were read with a limit of `limit + 1`: only the one row more says that there is another page, so an
 * exactly full last page has no cursor (CON8).
 */
export function cutPage<Item>(rows: readonly Item[], limit: number): CutPage<Item> {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? items.at(-1) : undefined }
}
