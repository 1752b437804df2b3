import type { Resource } from '#core/kube/client.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'

/** ControllerRevisions hold the versions of an agent. */
export const controllerRevisions = namespaced('apps', 'controllerrevisions', 'ControllerRevision')

/** Pods of the agents, for their logs. */
export const pods = namespaced('', 'pods', 'Pod')

/** Kubernetes Secrets. */
export const secretResource = namespaced('', 'secrets', 'Secret')

/** REST coordinates of a kind that a reference may point to; undefined if this installation does not have it. */
export type FindResource = (kind: string) => Resource | undefined

/** Targets of references that are not kinds of the installation. */
export const otherTargets: readonly Resource[] = [secretResource, namespaced('', 'configmaps', 'ConfigMap')]

/** Finds kinds of the installation, Secrets and ConfigMaps. */
export function createFindResource(kinds: () => readonly AnyKind[]): FindResource {
  return (kind) => [...kinds(), ...otherTargets].find((resource) => resource.kind === kind)
}

function namespaced(group: string, plural: string, kind: string): Resource {
  return { group, version: 'v1', plural, kind, namespaced: true }
}
