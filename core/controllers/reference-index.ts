import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import type { Reference } from '#schemas/kinds/references.ts'

/** Objects of one kind that refer to an object. Its change reconciles them without a list of all. */
export function createReferenceIndex() {
  const referrers = new Map<string, Map<string, ObjectRef>>()
  const targets = new Map<string, readonly string[]>()
  return {
    /** Replaces the references of an object; an empty list removes it. */
    set(referrer: ObjectRef, references: readonly Reference[]): void {
      const own = `${referrer.namespace}/${referrer.name}`
      for (const target of targets.get(own) ?? []) referrers.get(target)?.delete(own)
      const now = references.map((one) => `${one.kind}/${one.namespace || referrer.namespace}/${one.name}`)
      for (const target of now) {
        const known = referrers.get(target) ?? new Map<string, ObjectRef>()
        referrers.set(target, known.set(own, referrer))
      }
      if (now.length === 0) targets.delete(own)
      else targets.set(own, now)
    },
    referrersOf(object: KubeObject): readonly ObjectRef[] {
      const { kind, metadata } = object
      return [...(referrers.get(`${kind}/${metadata.namespace}/${metadata.name}`)?.values() ?? [])]
    },
  }
}
