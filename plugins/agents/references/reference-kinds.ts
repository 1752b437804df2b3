import type { AnyKind } from '#schemas/kind.ts'

const known = new WeakMap<AnyKind, ReadonlySet<string>>()

/** Kinds that objects of a kind may refer to, from the `x-mesh-ref` marks of its schema. */
export function referencedKinds(kind: AnyKind): ReadonlySet<string> {
  const found = known.get(kind) ?? new Set(marksIn(kind.spec))
  known.set(kind, found)
  return found
}

function marksIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const mark = 'x-mesh-ref' in node && typeof node['x-mesh-ref'] === 'string' ? [node['x-mesh-ref']] : []
  return [...mark, ...Object.values(node).flatMap(marksIn)]
}
