import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'

/** Namespace and name of an object. Throws `InvalidName` for names that Kubernetes refuses. */
export function objectRefOf({ metadata: { name, namespace } }: Pick<KubeObject, 'metadata'>): ObjectRef {
  const ref = { name: parseName('metadata.name', name) }
  return namespace === undefined ? ref : { ...ref, namespace: parseLabel('metadata.namespace', namespace) }
}
