import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'

/** Writes items in groups, in the order in which they were added. */
export interface GroupWriter<Item> {
  /** Adds an item; never waits. Above the limit of held items it is dropped. */
  add(item: Item): void
  /** Writes the held items for at most `closeMs`, and drops the rest. */
  close(): Promise<void>
}

/** Limits of a writer; times in milliseconds. */
export interface GroupBounds {
  /** Maximum number of items in a group. */
  readonly size: number
  /** Maximum time that the first item of a group waits while the store is available. */
  readonly everyMs: number
  /** Maximum number of items in memory, including items being written. */
  readonly held: number
  readonly retryMs: { readonly minMs: number; readonly maxMs: number }
  readonly closeMs: number
}

/** Receives the groups. */
export interface GroupTarget<Item> {
  /** Writes a group atomically. Called again with the same group after an error, whose outcome may be unknown. */
  write(group: readonly Item[]): Promise<void>
  /** Whether the store refused an item of the group permanently. */
  isRefusal(error: unknown): boolean
  /** Called before each repetition. */
  onRetry(error: unknown, held: number): void
  /** Called for items that will never be written. */
  onDropped(count: number, reason: 'refused' | 'full' | 'closed', error?: unknown): void
}

/** Creates a writer. A group that is refused is halved until the item that caused it is found: it must not block the others. */
export function createGroupWriter<Item>(target: GroupTarget<Item>, bounds: GroupBounds): GroupWriter<Item> {
  // Sealed groups, oldest first: their composition is fixed.
  const groups: (readonly Item[])[] = []
  let open: Item[] = []
  let held = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let closed = false

  const seal = (): void => {
    if (open.length > 0) groups.push(open)
    open = []
  }
  const drop = (count: number, reason: 'refused' | 'full' | 'closed', error?: unknown): void => {
    if (count > 0) target.onDropped(count, reason, error)
  }
  const settle = (group: readonly Item[]): void => {
    groups.shift()
    held -= group.length
    failures = 0
  }
  const refuse = (group: readonly Item[], error: unknown): void => {
    if (group.length === 1) {
      settle(group)
      return drop(1, 'refused', error)
    }
    const half = Math.ceil(group.length / 2)
    groups.splice(0, 1, group.slice(0, half), group.slice(half))
  }
  // Ends when all sealed groups are written, or the store is not available.
  const writeSealed = async (): Promise<void> => {
    for (let group = groups[0]; group !== undefined; group = groups[0]) {
      try {
        await target.write(group)
        settle(group)
      } catch (error) {
        if (target.isRefusal(error)) refuse(group, error)
        else {
          failures++
          return target.onRetry(error, held)
        }
      }
    }
  }
  const write = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    seal()
    // In a later turn, so that `writing` is set when the target is called.
    writing ??= Promise.resolve()
      .then(writeSealed)
      .finally(() => {
        writing = undefined
        schedule()
      })
    await writing
  }
  // Bound to the async context of creation: a group does not belong to the trace of any single request.
  const start = AsyncLocalStorage.bind(() => {
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void write()
  })
  const schedule = (): void => {
    if (closed || held === 0 || writing !== undefined) return
    if (failures > 0) timer ??= setTimeout(start, backoffMs(failures - 1, bounds.retryMs))
    else if (groups.length > 0) start()
    else timer ??= setTimeout(start, bounds.everyMs)
  }
  return {
    add: (item) => {
      if (closed || held >= bounds.held) return drop(1, closed ? 'closed' : 'full')
      held++
      if (open.push(item) >= bounds.size) seal()
      schedule()
    },
    close: async () => {
      // Calls that have just been aborted are added first.
      await setImmediate()
      const over = new AbortController()
      const late = sleep(bounds.closeMs, over.signal).then(() => over.abort())
      const isOver = (): boolean => held === 0 || over.signal.aborted
      while (!isOver()) {
        await Promise.race([write(), late])
        if (!isOver()) await sleep(bounds.retryMs.minMs, over.signal)
      }
      over.abort()
      closed = true
      clearTimeout(timer)
      drop(held, 'closed')
    },
  }
}
