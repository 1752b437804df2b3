/** The candidate that differs from a word by at most two edits, for "did you mean". */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 64) return undefined
  let best: string | undefined
  let least = 3
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < least && distance < candidate.length / 2) [best, least] = [candidate, distance]
  }
  return best
}

/** `; did you mean x?`, or an empty string if no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const guess = nearest(word, candidates)
  return guess === undefined ? '' : `; did you mean ${guess}?`
}

/** `one of a, b; did you mean b?`: the accepted values, and the nearest to the given one. */
export function oneOf(accepted: readonly string[], given: unknown): string {
  const values = accepted.length === 1 ? accepted.join('') : `one of ${accepted.join(', ')}`
  return `${values}${typeof given === 'string' ? didYouMean(given, accepted) : ''}`
}

// Levenshtein, one row at a time.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, right] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
