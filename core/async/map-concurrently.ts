// Maximum number of concurrent cluster calls of one request.
const LIMIT = 16

/** Maps items with at most `limit` concurrent calls. Keeps the order. After a rejection no further call starts. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
  limit = LIMIT,
): Promise<Result[]> {
  const results: Result[] = []
  // Shared by all workers. When one leaves its loop with an error, the generator ends for all of them.
  const entries = (function* () {
    yield* items.entries()
  })()
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
