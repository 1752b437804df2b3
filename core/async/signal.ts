/** A notification without content, for one waiter. */
export interface Signal {
  notify(): void
  /** Resolves at the next `notify`, after `timeoutMs`, or when `abort` aborts. A notification since the previous wait counts. */
  wait(timeoutMs: number, abort?: AbortSignal): Promise<void>
}

/** Passes each notification to every subscriber; notifications between two waits of one subscriber count as one. */
export interface SignalHub {
  notify(): void
  subscribe(): Signal
}

/** Creates a hub. A subscriber that is no longer referenced is dropped. */
export function createSignalHub(): SignalHub {
  const subscribers = new Set<WeakRef<Signal>>()
  return {
    notify: () => {
      for (const ref of subscribers) {
        const subscriber = ref.deref()
        if (subscriber === undefined) subscribers.delete(ref)
        else subscriber.notify()
      }
    },
    subscribe: () => {
      const subscriber = createSignal()
      subscribers.add(new WeakRef(subscriber))
      return subscriber
    },
  }
}

/** Creates a signal for one waiter. */
export function createSignal(): Signal {
  let pending = false
  let finishWait: (() => void) | undefined
  return {
    notify: () => {
      pending = true
      finishWait?.()
    },
    wait: async (timeoutMs, abort) => {
      if (!pending && abort?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const finish = (): void => {
            clearTimeout(timer)
            abort?.removeEventListener('abort', finish)
            resolve()
          }
          const timer = setTimeout(finish, timeoutMs)
          finishWait = finish
          abort?.addEventListener('abort', finish)
        })
        finishWait = undefined
      }
      pending = false
    },
  }
}
