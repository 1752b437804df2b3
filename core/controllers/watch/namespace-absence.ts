import type { KubeClient } from '#core/kube/client.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { namespaceKind, partQuery } from '#core/cluster/served-namespaces.ts'

/** Returns a version at which the namespace did not exist; undefined if it exists or the API server does not report it. */
export type NamespaceAbsence = (namespace: DnsLabel) => Promise<string | undefined>

// All kinds of a namespace check within moments.
const KEEP_MS = 1_000

/**
 * Distinguishes a missing namespace from one whose kinds may not be read. Role bindings belong to the namespace, so the API server denies
 * both. The version of a list by name proves that nothing in the namespace exists.
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
