/** An item that waits for its response. */
export interface WaitingItem<Item, Answer> {
  readonly item: Item
  readonly done: PromiseWithResolvers<Answer>
}

// A request that hangs must not delay all others.
const REQUESTS = 2

/**
 * Sends items: those that become due while requests are in progress share the next one. `send` resolves or rejects each item of its group, and never
 * rejects itself.
 */
export function shareRequests<Item, Answer>(
  send: (group: readonly WaitingItem<Item, Answer>[]) => Promise<void>,
  most: number,
): (item: Item) => Promise<Answer> {
  let waiting: WaitingItem<Item, Answer>[] = []
  let inProgress = 0
  const sendNext = async (): Promise<void> => {
    inProgress++
    while (waiting.length > 0) {
      const group = waiting.slice(0, most)
      waiting = waiting.slice(most)
      await send(group)
    }
    inProgress--
  }
  return (item) => {
    const done = Promise.withResolvers<Answer>()
    waiting.push({ item, done })
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    if (inProgress < REQUESTS) void sendNext()
    return done.promise
  }
}
