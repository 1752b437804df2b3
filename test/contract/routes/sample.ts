/** How much of the matrix a run asks: the whole by `npm run test:authz`, a part drawn by a seed in everyday tests. */
export const whole = process.env.MESH_AUTHZ === 'whole'

/** The seed of everything that is drawn; `MESH_SEED` repeats a run. */
export const seed = Number(process.env.MESH_SEED ?? 20_261_121)

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
export function createRandom(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of several. */
export function pick<T>(random: () => number, from: readonly T[]): T {
  const found = from[Math.floor(random() * from.length)]
  if (found === undefined) throw new RangeError('there is nothing to pick from')
  return found
}

/** Everything when the whole is asked, else about a share of it; the same for a seed. */
export function sampled<T>(all: readonly T[], share: number): readonly T[] {
  if (whole) return all
  const random = createRandom(seed + all.length)
  return all.filter(() => random() < share)
}
