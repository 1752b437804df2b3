/** Runs work as soon as one of its places is free, in the order of the calls. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** Makes a semaphore with that many places. */
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
    // A place is handed over, so that a later call cannot overtake.
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
