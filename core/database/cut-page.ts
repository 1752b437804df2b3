/** The items of a page, and the item after which the next page starts: undefined at the end. */
export interface CutPage<Item> {
  readonly items: readonly Item[]
  readonly last: Item | undefined
}

/**
 * Cuts a page from rows that were read with a limit of `limit + 1`. Only the additional row shows that there is another page, so an
 * exactly full last page has no cursor (CON8).
 */
export function cutPage<Item>(rows: readonly Item[], limit: number): CutPage<Item> {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? items.at(-1) : undefined }
}
