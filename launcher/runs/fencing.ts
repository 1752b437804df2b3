/**
 * Minimum lease epoch (fencing token) accepted for a run that this launcher has reported as unknown; prevents a stale worker from
 * starting it afterwards.
 */
export interface Fencing {
  raise(runId: string, epoch: number): void
  /** Returns 0 for a run that was not reported as unknown. */
  minimum(runId: string): number
}

/** A minimum expires after `keepMs`; tickets that an older worker can hold must not be valid for longer. */
export function createFencing(keepMs: number): Fencing {
  const tokens = new Map<string, { readonly epoch: number; readonly expiry: NodeJS.Timeout }>()
  const minimum = (runId: string): number => tokens.get(runId)?.epoch ?? 0
  return {
    minimum,
    raise(runId, epoch) {
      if (epoch < minimum(runId)) return
      clearTimeout(tokens.get(runId)?.expiry)
      tokens.set(runId, { epoch, expiry: setTimeout(() => tokens.delete(runId), keepMs).unref() })
    },
  }
}
