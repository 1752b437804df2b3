import { mergePatch } from '#core/json/merge-patch.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { GROUP } from '#schemas/names/group.ts'
import { FORKED_FROM_ANNOTATION } from '#schemas/names/labels.ts'

/** Target and changes of a fork. */
export interface Fork {
  name: string
  namespace: string
  /** RFC 7396 merge patch on the spec. */
  overrides?: Record<string, unknown>
}

/** A new agent with the spec of another. Pure. */
export function toFork(origin: AgentDeploymentObject, fork: Fork): AgentDeploymentObject {
  const { name, namespace = '' } = origin.metadata
  const labels = ownText(origin.metadata.labels)
  const spec = mergePatch(origin.spec, fork.overrides ?? {})
  return AgentDeployment.object({
    metadata: {
      name: fork.name,
      namespace: fork.namespace,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      annotations: { [FORKED_FROM_ANNOTATION]: `${namespace}/${name}` },
    },
    // A patch may have produced any value. The cluster validates it.
    spec: spec as AgentDeploymentSpec,
  })
}

/** Labels of the author. Labels of the platform belong to the original. */
export function ownText(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !key.split('/')[0]?.endsWith(GROUP)))
}
