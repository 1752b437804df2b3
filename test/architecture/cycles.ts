import { isTest } from './sources.ts'
import type { Source } from './sources.ts'

/**
 * Cycles among the folders of `plugins/` by imported values, each as a path such as `a -> b -> a`. Types are erased and `points.ts` imports
 * nothing, so neither causes a cycle.
 */
export function pluginCycles(sources: readonly Source[]): string[] {
  const graph = pluginGraph(sources)
  const found = new Map<string, string>()
  for (const start of graph.keys()) {
    const path = shortestWayBack(graph, start)
    const members = [...new Set(path)].toSorted().join()
    if (path !== undefined && !found.has(members)) found.set(members, path.join(' -> '))
  }
  return [...found.values()]
}

function pluginGraph(sources: readonly Source[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { path, imports } of sources) {
    const from = pluginOf(path)
    if (from === undefined || isTest(path)) continue
    for (const one of imports) {
      const to = pluginOf(one.target)
      if (to === undefined || to === from || one.typeOnly || one.target.endsWith('/points.ts')) continue
      graph.set(from, (graph.get(from) ?? new Set()).add(to))
    }
  }
  return graph
}

function pluginOf(path: string): string | undefined {
  return /^plugins\/([^/]+)\//.exec(path)?.[1]
}

function shortestWayBack(graph: Map<string, Set<string>>, start: string): string[] | undefined {
  const queue: string[][] = [[start]]
  const seen = new Set<string>()
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const next of graph.get(path.at(-1) ?? '') ?? []) {
      if (next === start) return [...path, start]
      if (seen.has(next)) continue
      seen.add(next)
      queue.push([...path, next])
    }
  }
  return undefined
}
