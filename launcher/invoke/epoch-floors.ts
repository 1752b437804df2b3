/** The lowest epochs that may begin runs which are not known here: a newer worker was told so, and acts on it. */
export interface EpochFloors {
  raise(runId: string, epoch: number): void
  /** 0 where nobody was told anything. */
  of(runId: string): number
}

/** Makes floors that are forgotten after `keepMs`; tickets that an older worker can have must not be valid for longer. */
export function createEpochFloors(keepMs: number): EpochFloors {
  const floors = new Map<string, { readonly epoch: number; readonly expiry: NodeJS.Timeout }>()
  const of = (runId: string): number => floors.get(runId)?.epoch ?? 0
  return {
    of,
    raise(runId, epoch) {
      if (epoch < of(runId)) return
      clearTimeout(floors.get(runId)?.expiry)
      floors.set(runId, { epoch, expiry: setTimeout(() => floors.delete(runId), keepMs).unref() })
    },
  }
}
