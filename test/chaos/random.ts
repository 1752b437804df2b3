import { setTimeout as sleep } from 'node:timers/promises'

/** Random choices, repeatable by their seed. */
export interface Random {
  /** Number from 0 (included) to 1 (excluded). */
  next(): number
  /** Integer from `min` to `max`, both included. */
  int(min: number, max: number): number
  pick<T>(of: readonly T[]): T
  /** Waits for a random time before a fault. */
  instant(minMs: number, maxMs: number): Promise<void>
}

/** mulberry32: small, and random enough to distribute faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    pick: <T>(of: readonly T[]): T => {
      const found = of[int(0, of.length - 1)]
      if (found === undefined) throw new RangeError('nothing to pick from')
      return found
    },
    instant: (minMs, maxMs) => sleep(int(minMs, maxMs)),
  }
}
