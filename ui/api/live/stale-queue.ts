import type { StaleKey } from './event-keys.ts'

/** Gathers what events make stale, and reports each key at once, and again at most once in its time. */
export interface StaleQueue {
  add(keys: readonly StaleKey[]): void
  /** Reports nothing more. */
  stop(): void
}

interface QueuedKey {
  readonly key: StaleKey
  timer: ReturnType<typeof setTimeout> | undefined
  isAgain: boolean
}

/** Creates a queue. `report` is called with a key that has become stale. */
export function createStaleQueue(report: (key: StaleKey) => void): StaleQueue {
  const queued = new Map<string, QueuedKey>()
  // The first event is shown at once; those that follow wait, and are shown together.
  const run = (id: string, one: QueuedKey): void => {
    one.isAgain = false
    report(one.key)
    one.timer = setTimeout(() => {
      if (one.isAgain) run(id, one)
      else queued.delete(id)
    }, one.key.everyMs)
  }
  const addOne = (key: StaleKey): void => {
    const id = JSON.stringify([key.path, key.isList])
    const known = queued.get(id)
    if (known !== undefined) {
      known.isAgain = true
      return
    }
    const added: QueuedKey = { key, timer: undefined, isAgain: false }
    queued.set(id, added)
    run(id, added)
  }
  return {
    add: (keys) => keys.forEach(addOne),
    stop: () => {
      for (const { timer } of queued.values()) clearTimeout(timer)
      queued.clear()
    },
  }
}
