/** Schedules the requests of several users in turns, so that a backlog of one does not delay the others. */
export interface Turns {
  /** Resolves when a request of the owner may start. Call the result when its response is complete. */
  start(owner: string): Promise<() => void>
}

/** `atOnce` requests of one owner run while others are active; `now` is in monotonic milliseconds. */
export interface TurnsOptions {
  readonly atOnce: number
  readonly now?: () => number
}

// A user is active for this long after a request.
const ACTIVE_MS = 1_000
// A longer request waits for something outside this process and is no longer counted.
const TURN_MS = 50

// Idle users are removed at this number, and then at twice the remaining one.
const SWEEP_AT = 1_000

interface Owner {
  readonly running: Set<{ readonly at: number }>
  readonly queue: (() => void)[]
  seenAt: number
  timer: NodeJS.Timeout | undefined
}

/** Creates the turns of one server. A single user is never delayed. */
export function createTurns({ atOnce, now = () => performance.now() }: TurnsOptions): Turns {
  const owners = new Map<string, Owner>()
  let sweepAt = SWEEP_AT
  const sweep = (): void => {
    for (const [name, { running, queue, seenAt }] of owners)
      if (running.size === 0 && queue.length === 0 && now() - seenAt >= ACTIVE_MS) owners.delete(name)
    sweepAt = Math.max(SWEEP_AT, 2 * owners.size)
  }
  const isContended = (mine: Owner): boolean => {
    for (const other of owners.values()) if (other !== mine && now() - other.seenAt < ACTIVE_MS) return true
    return false
  }
  const mayStart = (owner: Owner): boolean => {
    if (owner.running.size < atOnce) return true
    for (const turn of owner.running) if (now() - turn.at >= TURN_MS) owner.running.delete(turn)
    return owner.running.size < atOnce || !isContended(owner)
  }
  const begin = (owner: Owner): (() => void) => {
    const turn = { at: now() }
    owner.running.add(turn)
    return () => {
      owner.running.delete(turn)
      next(owner)
    }
  }
  const next = (owner: Owner): void => {
    while (owner.queue.length > 0 && mayStart(owner)) owner.queue.shift()?.()
    if (owner.queue.length === 0 || owner.timer !== undefined) return
    owner.timer = setTimeout(() => {
      owner.timer = undefined
      next(owner)
    }, TURN_MS)
  }
  return {
    start: async (name) => {
      const owner = owners.get(name) ?? { running: new Set(), queue: [], seenAt: 0, timer: undefined }
      if (owners.size >= sweepAt) sweep()
      owners.set(name, owner)
      owner.seenAt = now()
      if (owner.queue.length === 0 && mayStart(owner)) return begin(owner)
      const { promise, resolve } = Promise.withResolvers<() => void>()
      owner.queue.push(() => resolve(begin(owner)))
      next(owner)
      return promise
    },
  }
}
