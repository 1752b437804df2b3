/** A signal without content: everybody who waits goes on. */
export interface Wake {
  notify(): void
  /** Resolves at the next `notify`, after `timeoutMs`, or when the signal aborts. One that came since the last wait counts. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<void>
}

/** A wake-up of several sources and waiters; notifications between two waits of one waiter are one. */
export interface WakeHub {
  notify(): void
  waiter(): Wake
}

/** Creates the hub through which appends wake the relay of the same process. */
export function createWakeHub(): WakeHub {
  const waiters = new Set<WeakRef<Wake>>()
  return {
    notify: () => {
      for (const ref of waiters) {
        const waiter = ref.deref()
        if (waiter === undefined) waiters.delete(ref)
        else waiter.notify()
      }
    },
    waiter: () => {
      const waiter = createWake()
      waiters.add(new WeakRef(waiter))
      return waiter
    },
  }
}

/** Creates a wake-up for one waiter. */
export function createWake(): Wake {
  let pending = false
  let resolve: (() => void) | undefined
  return {
    notify: () => {
      pending = true
      resolve?.()
    },
    wait: async (timeoutMs, signal) => {
      if (!pending && signal?.aborted !== true) {
        await new Promise<void>((done) => {
          const timer = setTimeout(() => finish(), timeoutMs)
          const finish = (): void => {
            clearTimeout(timer)
            signal?.removeEventListener('abort', finish)
            done()
          }
          resolve = finish
          signal?.addEventListener('abort', finish)
        })
        resolve = undefined
      }
      pending = false
    },
  }
}
