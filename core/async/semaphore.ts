/** Runs tasks in the order of the calls, each as soon as a permit is free. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a semaphore with `places` permits. */
export function createSemaphore(places: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = places
  const enter = (): Promise<void> | undefined => {
    if (free === 0) return new Promise((resolve) => waiting.push(resolve))
    free -= 1
    return undefined
  }
  const leave = (): void => {
    const next = waiting.shift()
    // The permit passes to the next waiter, so that a later call cannot overtake it.
    if (next === undefined) free += 1
    else next()
  }
  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
