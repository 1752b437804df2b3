import type { CallLimit, LimitSource } from '../contract/points.ts'

/** Whether the spender of a call could have written an object of a namespace. */
export type IsOwn = (namespace: string) => boolean

/**
 * Objects count as the spender's own in its namespace, and in each namespace of its tenant. A second namespace of a tenant would otherwise set the
 * price of the first.
 */
export async function ownNamespaces(
  sources: readonly LimitSource[],
  spender: string,
  namespaces: readonly string[],
): Promise<IsOwn> {
  const others = [...new Set(namespaces)].filter((namespace) => namespace !== spender)
  if (others.length === 0) return (namespace) => namespace === spender
  const shared = await subjectsOf(sources, spender)
  const own = new Set([spender])
  for (const namespace of others) {
    const subjects = await subjectsOf(sources, namespace)
    if ([...subjects].some((uid) => shared.has(uid))) own.add(namespace)
  }
  return (namespace) => own.has(namespace)
}

async function subjectsOf(sources: readonly LimitSource[], namespace: string): Promise<ReadonlySet<string>> {
  const limits = await Promise.all(sources.map((source) => source.limitsOf(namespace)))
  return new Set(limits.flat().map(({ subject }) => subject.uid))
}

/** Whether a limit is not the spender's own. */
export function isFromAbove({ subject }: CallLimit, isOwn: IsOwn): boolean {
  return subject.kind === 'Tenant' || !isOwn(subject.namespace ?? '')
}
