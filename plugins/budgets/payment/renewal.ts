/** Leases of the holds of calls in progress. */
export interface Renewal {
  add(id: string): void
  remove(id: string): void
}

/**
 * Renews the leases of all open holds with one statement, every `everyMs`. A hold whose lease ends meanwhile, such as while the store is unavailable,
 * is charged in full, and its call can cost no more.
 */
export function createRenewal(renew: (ids: readonly string[]) => Promise<unknown>, everyMs: number): Renewal {
  const open = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const tick = (): void => {
    // The renewal is repeated at the next tick.
    renew([...open]).catch(() => undefined)
  }
  return {
    add(id) {
      open.add(id)
      timer ??= setInterval(tick, everyMs).unref()
    },
    remove(id) {
      open.delete(id)
      if (open.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }
}
