/** Limits on calls in progress. */
export interface MostCalls {
  readonly total: number
  readonly perNamespace: number
}

/** Takes a slot for a call of a namespace, and returns the function that releases it. Undefined if all slots are taken. */
export type TakePlace = (namespace: string) => (() => void) | undefined

/** Creates the slots of one process: a namespace whose tools hang leaves slots to others (F4). */
export function createCallPlaces({ total, perNamespace }: MostCalls): TakePlace {
  const taken = new Map<string, number>()
  let all = 0
  return (namespace) => {
    const own = taken.get(namespace) ?? 0
    if (all >= total || own >= perNamespace) return undefined
    all += 1
    taken.set(namespace, own + 1)
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      all -= 1
      const left = (taken.get(namespace) ?? 1) - 1
      if (left === 0) taken.delete(namespace)
      else taken.set(namespace, left)
    }
  }
}
