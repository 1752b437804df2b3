import { dirname } from 'node:path/posix'
import { isTest } from '../sources.ts'
import type { Source } from '../sources.ts'

const rooms = /^(?:plugins|launcher|schemas|local|cli|ui)\//

/** Pairs of folders that import each other, types included, and rings of more folders without such a pair. */
export function folderCycles(sources: readonly Source[]): string[] {
  const graph = folderGraph(sources)
  const pairs = [...graph].flatMap(([one, targets]) =>
    [...targets].filter((other) => one < other && graph.get(other)?.has(one)).map((other) => [one, other]),
  )
  const cut = new Map(
    [...graph].map(([one, targets]) => [one, new Set([...targets].filter((t) => !isPair(pairs, one, t)))]),
  )
  return [...pairs, ...rings(cut)].map((group) => group.toSorted().join(' <-> ')).toSorted()
}

function folderGraph(sources: readonly Source[]): Map<string, Set<string>> {
  const product = sources.filter(({ path }) => rooms.test(path) && !isTest(path))
  const known = new Set(product.map(({ path }) => path))
  const folders = Map.groupBy(product, ({ path }) => dirname(path))
  return new Map(
    [...folders].map(([folder, files]) => {
      const targets = files.flatMap(({ imports }) =>
        imports.map(({ target }) => target).filter((one) => known.has(one)),
      )
      return [folder, new Set(targets.map((target) => dirname(target)).filter((other) => other !== folder))]
    }),
  )
}

function isPair(pairs: readonly (readonly string[])[], one: string, other: string): boolean {
  return pairs.some((pair) => pair.includes(one) && pair.includes(other))
}

/** Groups of folders of which each reaches each other. The pairs are left out, so that a ring is one of three or more. */
function rings(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map([...graph.keys()].map((folder) => [folder, reach(graph, folder)]))
  const left = new Set(graph.keys())
  const found: string[][] = []
  for (const folder of graph.keys()) {
    const group = [...left].filter((other) => reached.get(folder)?.has(other) && reached.get(other)?.has(folder))
    for (const member of group) left.delete(member)
    if (group.length > 1) found.push(group)
  }
  return found
}

function reach(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string): Set<string> {
  const found = new Set<string>()
  const open = [from]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const target of graph.get(folder) ?? []) {
      if (found.has(target)) continue
      found.add(target)
      open.push(target)
    }
  }
  return found
}
