import { cells } from './matrix.ts'
import type { Cell } from './matrix.ts'
import type { Credential } from './credentials.ts'
import { sampled } from './sample.ts'

/** Share of each credential's cells in everyday tests. */
export const SHARE = 0.3

// One that may do everything, one without a role in the namespace of the first cell, and one that is not authenticated.
const onEachRoute: ReadonlySet<string> = new Set(['admin', 'other-tenant', 'garbage'])

/**
 * Cells that a credential asks: all in a whole run. In everyday tests a sample, and by some credentials the first cell of each route of
 * which the sample has no existing object. A third of the routes, and perhaps a new one, would otherwise be asked by the whole run alone.
 */
export function askedBy({ name }: Credential, picks: (route: string) => boolean): readonly Cell[] {
  const sample = sampled(cells(), SHARE)
  const omitted = onEachRoute.has(name) ? firstOfOthers(sample) : []
  return [...sample, ...omitted].filter(({ route }) => picks(route))
}

function firstOfOthers(sample: readonly Cell[]): readonly Cell[] {
  // What a caller may read of everything is refused to almost none, so that it is no case of both.
  const both = ({ exists, permitted }: Cell['target']): boolean => exists && permitted !== true
  const seen = new Set(sample.flatMap(({ route, target }) => (both(target) ? [route] : [])))
  return cells((route) => !seen.has(route)).filter(({ route }) => !seen.has(route) && seen.add(route))
}
