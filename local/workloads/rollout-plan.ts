/** A replica as input of the plan; lists are sorted by age, oldest first. */
export interface PlannedReplica {
  readonly id: string
  /** Has the newest template. */
  readonly current: boolean
  readonly ready: boolean
}

/** Number of replicas to start, and replicas to stop. */
export interface RolloutPlan {
  readonly start: number
  readonly stop: readonly string[]
}

/**
 * One step of a rolling update with maxSurge 1 and maxUnavailable 0. New replicas start first, and a ready old one stops only if enough others
 * are ready. Pure; called again after each change.
 */
export function planRollout(wanted: number, replicas: readonly PlannedReplica[]): RolloutPlan {
  const stop = new Set<string>()
  const old = replicas.filter((one) => !one.current)
  const current = replicas.filter((one) => one.current)
  // An old replica that is not ready is stopped immediately.
  for (const one of old) if (!one.ready) stop.add(one.id)
  // Too many new replicas: unready ones are stopped first, then the youngest.
  const excess = Math.max(0, current.length - wanted)
  const spare = current.toReversed().toSorted((a, b) => Number(a.ready) - Number(b.ready))
  for (const one of spare.slice(0, excess)) stop.add(one.id)
  let ready = replicas.filter((one) => one.ready && !stop.has(one.id)).length
  for (const one of old) {
    if (!one.ready || ready - 1 < wanted) continue
    stop.add(one.id)
    ready -= 1
  }
  const left = replicas.length - stop.size
  const missing = Math.max(0, wanted - current.length)
  return { start: Math.min(missing, Math.max(0, wanted + 1 - left)), stop: [...stop] }
}

/** As `planRollout`, for replicas that listen on the same ports: none starts before every old one has ended. */
export function planReplacement(wanted: number, replicas: readonly PlannedReplica[], ending: number): RolloutPlan {
  const old = replicas.filter((one) => !one.current)
  const current = replicas.filter((one) => one.current)
  const stop = [...old, ...current.slice(wanted)].map(({ id }) => id)
  return { start: old.length + ending > 0 ? 0 : Math.max(0, wanted - current.length), stop }
}
