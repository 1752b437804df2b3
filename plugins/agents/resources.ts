import type { Resource } from '#core/kube/client.ts'
import { kinds } from '#schemas/kinds.ts'

/** ControllerRevisions hold the versions of an agent. */
export const controllerRevisions = namespaced('apps', 'controllerrevisions', 'ControllerRevision')

/** Pods of the agents, for their logs. */
export const pods = namespaced('', 'pods', 'Pod')

const referable: readonly Resource[] = [
  ...kinds,
  namespaced('', 'secrets', 'Secret'),
  namespaced('', 'configmaps', 'ConfigMap'),
]

/** REST coordinates of a kind that a reference may point to; undefined if this install does not have it. */
export function resourceOf(kind: string): Resource | undefined {
  return referable.find((resource) => resource.kind === kind)
}

function namespaced(group: string, plural: string, kind: string): Resource {
  return { group, version: 'v1', plural, kind, namespaced: true }
}
