import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { REGISTRY_LABEL_PREFIX } from '#schemas/names/labels.ts'
import { stableHash } from '../owned/stable-hash.ts'

/** Label keys of the registries in an agent's spec. A hash, since namespace and name of a registry may exceed a label key. */
export function registryLabels({ metadata, spec }: AgentDeploymentObject): readonly string[] {
  return (spec.registries ?? []).map(
    ({ name, namespace = metadata.namespace ?? '' }) => `${REGISTRY_LABEL_PREFIX}/${stableHash([namespace, name])}`,
  )
}
