/** Performs an operation together with others that were requested about the same time. */
export type GatheredOperation<Item, Result> = (item: Item) => Promise<Result>

/** Limits of a group. */
export interface GatherBounds {
  /** Maximum time that the first item of a group waits while no group is being performed. */
  readonly waitMs: number
  readonly size: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly done: PromiseWithResolvers<Result>
}

/**
 * Gathers items into groups, one group at a time: items that arrive while a group is performed form the next one. If a group of several items fails
 * while the store is available, each item is performed alone, since an item must not fail because of another.
 */
export function createGather<Item, Result>(
  perform: (items: readonly Item[]) => Promise<readonly Result[]>,
  { waitMs, size }: GatherBounds,
  isOutage: (error: unknown) => boolean,
): GatheredOperation<Item, Result> {
  let waiting: Waiting<Item, Result>[] = []
  let busy = false
  let timer: NodeJS.Timeout | undefined

  const settle = async (group: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await perform(group.map(({ item }) => item))
      for (const [index, { done }] of group.entries()) done.resolve(results[index] as Result)
    } catch (error) {
      if (group.length === 1 || isOutage(error)) for (const { done } of group) done.reject(error)
      else for (const one of group) await settle([one])
    }
  }
  const run = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (busy) return
    busy = true
    while (waiting.length > 0) {
      const group = waiting.slice(0, size)
      waiting = waiting.slice(size)
      await settle(group)
    }
    busy = false
  }
  const start = (): void => {
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void run()
  }
  return (item) => {
    const done = Promise.withResolvers<Result>()
    waiting.push({ item, done })
    if (!busy && waiting.length >= size) start()
    else if (!busy) timer ??= setTimeout(start, waitMs)
    return done.promise
  }
}
