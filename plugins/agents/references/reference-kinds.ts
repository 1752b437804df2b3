import { kinds } from '#schemas/kinds.ts'

let known: ReadonlyMap<string, ReadonlySet<string>> | undefined

/** Which kinds each kind of ours may refer to, from the `x-mesh-ref` marks of its schema. */
export function referenceKinds(): ReadonlyMap<string, ReadonlySet<string>> {
  known ??= new Map(kinds.map((kind) => [kind.kind, new Set(marksIn(kind.spec))]))
  return known
}

function marksIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const mark = 'x-mesh-ref' in node && typeof node['x-mesh-ref'] === 'string' ? [node['x-mesh-ref']] : []
  return [...mark, ...Object.values(node).flatMap(marksIn)]
}
