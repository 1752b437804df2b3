import type { KubeObject, ObjectRef } from '#core/kube/client.ts'
import type { Reference } from '#schemas/references.ts'

/** Which agents refer to an object, so that its change has them looked at without listing every agent. */
export function createReferenceIndex() {
  const referrers = new Map<string, Map<string, ObjectRef>>()
  const targets = new Map<string, readonly string[]>()
  return {
    /** Replaces what an agent refers to; an empty list forgets it. */
    set(agent: ObjectRef, references: readonly Reference[]): void {
      const own = `${agent.namespace}/${agent.name}`
      for (const target of targets.get(own) ?? []) referrers.get(target)?.delete(own)
      const now = references.map((one) => `${one.kind}/${one.namespace || agent.namespace}/${one.name}`)
      for (const target of now) {
        const known = referrers.get(target) ?? new Map<string, ObjectRef>()
        referrers.set(target, known.set(own, agent))
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
