/** How much a backlog holds before `push` makes its caller wait, and how much is taken at once. */
export interface BacklogBounds {
  readonly items: number
  readonly bytes: number
  readonly batch: number
}

/** What was read and is not taken yet: a reader goes on while its taker is busy, up to a bound. */
export interface Backlog<Item> {
  /** Resolves when there is room for more. */
  push(item: Item, bytes: number): Promise<void>
  /** Resolves when nothing waits and nothing is being taken. */
  settled(): Promise<void>
  /** Items that wait. */
  readonly length: number
}

/**
 * Hands over what has come as one batch, in order, one batch at a time. A `take` that rejects has given up: what waits is dropped, and
 * so is all that comes later.
 */
export function createBacklog<Item>(
  bounds: BacklogBounds,
  take: (items: readonly Item[]) => Promise<void>,
): Backlog<Item> {
  const waiting: { readonly item: Item; readonly bytes: number }[] = []
  let bytesHeld = 0
  let draining: Promise<void> | undefined
  let gaveUp = false
  let room = Promise.withResolvers<void>()

  const makeRoom = (): void => {
    room.resolve()
    room = Promise.withResolvers()
  }
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, bounds.batch)
      await take(batch.map(({ item }) => item))
      for (const { bytes } of batch) bytesHeld -= bytes
      makeRoom()
    }
    // In the same turn as the last look at what waits: a later push starts anew.
    draining = undefined
  }
  const giveUp = (): void => {
    gaveUp = true
    waiting.length = 0
    makeRoom()
  }
  const isFull = (): boolean => !gaveUp && (waiting.length >= bounds.items || bytesHeld >= bounds.bytes)
  return {
    push: async (item, bytes) => {
      if (gaveUp) return
      waiting.push({ item, bytes })
      bytesHeld += bytes
      draining ??= drain().catch(giveUp)
      while (isFull()) await room.promise
    },
    settled: async () => {
      await draining
    },
    get length() {
      return waiting.length
    },
  }
}
