import type { KubeClient } from '#core/kube/client.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { namespaceKind, partQuery } from '#core/cluster/served-namespaces.ts'

/** A version at which the namespace did not exist; undefined when it exists, or when the API server does not say. */
export type NamespaceAbsence = (namespace: DnsLabel) => Promise<string | undefined>

// All kinds of a namespace ask within moments.
const KEEP_MS = 1_000

/**
 * Tells a namespace that does not exist from one whose kinds may not be read: bindings are objects of the namespace, so the API server
 * denies both. A list by name says with its version that nothing of the namespace exists.
 */
export function createNamespaceAbsence(cluster: Pick<KubeClient, 'list'>): NamespaceAbsence {
  const asked = new Map<DnsLabel, Promise<string | undefined>>()
  const ask = async (namespace: DnsLabel): Promise<string | undefined> => {
    try {
      const { items, resourceVersion } = await cluster.list(namespaceKind, partQuery(namespaceKind, namespace))
      return items.length === 0 && resourceVersion !== '' ? resourceVersion : undefined
    } catch {
      return undefined
    }
  }
  return (namespace) => {
    const known = asked.get(namespace)
    if (known !== undefined) return known
    const answer = ask(namespace)
    asked.set(namespace, answer)
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void answer.then(() => setTimeout(() => asked.delete(namespace), KEEP_MS).unref())
    return answer
  }
}
