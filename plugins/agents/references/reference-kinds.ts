import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { Mark } from '#schemas/kinds/references.ts'

const known = {
  'x-mesh-ref': new WeakMap<AnyKind, ReadonlySet<string>>(),
  'x-mesh-link': new WeakMap<AnyKind, ReadonlySet<string>>(),
}

/** Kinds that objects of a kind may refer or link to, from the marks of its schema. */
export function referencedKinds(kind: AnyKind, mark: Mark = 'x-mesh-ref'): ReadonlySet<string> {
  const found = known[mark].get(kind) ?? new Set(marksIn(kind.spec, mark))
  known[mark].set(kind, found)
  return found
}

function marksIn(node: unknown, mark: Mark): string[] {
  if (!isNode(node)) return []
  const to = node[mark]
  return [...(typeof to === 'string' ? [to] : []), ...Object.values(node).flatMap((below) => marksIn(below, mark))]
}

function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
