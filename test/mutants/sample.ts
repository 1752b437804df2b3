/** Selects `count` items by a seed, deterministically. */
export function sampled<Item>(items: readonly Item[], count: number, seed: number): readonly Item[] {
  const rest = [...items]
  const chosen: Item[] = []
  let state = seed >>> 0
  while (chosen.length < count && rest.length > 0) {
    // A linear congruential step (Numerical Recipes) is random enough to vary the choice.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    chosen.push(...rest.splice(state % rest.length, 1))
  }
  return chosen
}
