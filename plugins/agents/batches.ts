// Most concurrent cluster calls of one request.
const BATCH = 16

/** Maps items with at most 16 concurrent calls. Keeps the order. */
export async function mapInBatches<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += BATCH) {
    results.push(...(await Promise.all(items.slice(start, start + BATCH).map(map))))
  }
  return results
}
