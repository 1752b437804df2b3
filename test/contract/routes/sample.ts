/** Whether to run the whole matrix (`npm run test:authz`) or a seeded sample (everyday tests). */
export const whole = process.env.MESH_AUTHZ === 'whole'

/** Seed of all samples; `MESH_SEED` repeats a run. */
export const seed = Number(process.env.MESH_SEED ?? 20_261_121)

/** Deterministic numbers in [0, 1) from a seed (mulberry32). */
export function createRandom(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Picks one element. */
export function pick<T>(random: () => number, from: readonly T[]): T {
  const found = from[Math.floor(random() * from.length)]
  if (found === undefined) throw new RangeError('there is nothing to pick from')
  return found
}

/** Returns everything in a whole run, else about `share` of it, determined by the seed. */
export function sampled<T>(all: readonly T[], share: number): readonly T[] {
  if (whole) return all
  const random = createRandom(seed + all.length)
  return all.filter(() => random() < share)
}
