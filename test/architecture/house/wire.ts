import { isTest } from '../sources.ts'
import type { Source } from '../sources.ts'

const stateRoutes = /^plugins\/[^/]+\/(?:state\/|(?:.*\/)?state-(?:routes|endpoints)\.ts$)/

/** Paths of the state role that a route declares itself instead of taking them from a value of `contract/wire.ts`. */
export function unwiredPaths(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => stateRoutes.test(path) && !isTest(path))
    .flatMap(({ path, code }) => [...code.matchAll(/\burl: '([^']+)'/g)].map(([, url]) => `${path}: ${url}`))
    .toSorted()
}
