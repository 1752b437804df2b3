/** Limits of a buffer: `push` waits above `items` or `bytes`; a batch has at most `batch` items. */
export interface BufferBounds {
  readonly items: number
  readonly bytes: number
  readonly batch: number
}

/** A queue of items between a producer and a consumer. The producer continues while the consumer is busy, up to the bounds. */
export interface BoundedBuffer<Item> {
  /** Resolves when there is room for more. */
  push(item: Item, bytes: number): Promise<void>
  /** Resolves when the buffer is empty and no batch is in progress. */
  settled(): Promise<void>
  /** Number of buffered items. */
  readonly length: number
}

/**
 * Creates a buffer that passes its items to `take` in order, one batch at a time. When `take` rejects, the buffer drops its items and
 * every later one.
 */
export function createBoundedBuffer<Item>(
  bounds: BufferBounds,
  take: (items: readonly Item[]) => Promise<void>,
): BoundedBuffer<Item> {
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
    // Reset in the same turn as the last check of `waiting`, so that a later push starts the next drain.
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
