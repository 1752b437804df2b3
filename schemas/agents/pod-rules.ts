import type { AgentDeploymentSpec } from '../crds/agent-deployment.ts'
import {
  PLATFORM_VOLUMES,
  POD_MESSAGES,
  PROJECTION_SOURCES,
  REFUSED_SOURCES,
  VOLUME_SOURCES,
  isAgentKeysName,
  isRefusedAnnotation,
  isReservedPath,
} from '../values/pod-limits.ts'

/** A violated rule, and its place in the spec. */
export interface PodProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

type Pod = NonNullable<AgentDeploymentSpec['pod']>
type Volume = NonNullable<Pod['volumes']>[number]
type Source = NonNullable<Volume['projected']>['sources'][number]
type Mount = NonNullable<Pod['volumeMounts']>[number]
type Item = { readonly fieldRef?: object; readonly resourceFieldRef?: object }

/** Rules of `spec.pod` beyond its schema. The CRD has the same rules in CEL; a test checks both with the same samples. Pure. */
export function findPodProblems(pod: Pod): PodProblem[] {
  const { annotations = {}, imagePullSecrets = [], volumes = [], volumeMounts = [] } = pod
  const problems = [
    ...(Object.keys(annotations).some(isRefusedAnnotation)
      ? [{ path: ['annotations'], message: POD_MESSAGES.annotation }]
      : []),
    ...imagePullSecrets.flatMap(({ name }, index) => secretProblems(name, ['imagePullSecrets', index, 'name'])),
    ...volumes.flatMap((volume, index) => volumeProblems(volume, ['volumes', index])),
    ...repeated(
      volumes.map(({ name }) => name),
      'volumes',
    ),
    ...volumeMounts.flatMap((mount, index) => mountProblems(mount, ['volumeMounts', index])),
    ...repeated(
      volumeMounts.map(({ mountPath }) => mountPath),
      'volumeMounts',
    ),
    ...(volumeMounts.every(({ name }) => volumes.some((volume) => volume.name === name))
      ? []
      : [{ path: ['volumeMounts'], message: POD_MESSAGES.unknownVolume }]),
  ]
  return problems.map(({ path, message }) => ({ path: ['pod', ...path], message }))
}

/** Problems of a reference to a Secret that are visible from its name. */
export function secretProblems(name: string, path: PodProblem['path']): PodProblem[] {
  return isAgentKeysName(name) ? [{ path, message: POD_MESSAGES.agentKeys }] : []
}

function volumeProblems(volume: Volume, path: PodProblem['path']): PodProblem[] {
  const { secret, downwardAPI, projected } = volume
  const given = VOLUME_SOURCES.filter((source) => volume[source] !== undefined)
  const wrong = given.length !== 1 || REFUSED_SOURCES.some((source) => volume[source] !== undefined)
  return [
    ...(wrong ? [{ path, message: POD_MESSAGES.source }] : []),
    ...(PLATFORM_VOLUMES.includes(volume.name) ? [{ path: [...path, 'name'], message: POD_MESSAGES.volumeName }] : []),
    ...(secret === undefined ? [] : secretProblems(secret.secretName, [...path, 'secret', 'secretName'])),
    ...fieldProblems(downwardAPI?.items, [...path, 'downwardAPI']),
    ...(projected?.sources ?? []).flatMap((source, index) =>
      sourceProblems(source, [...path, 'projected', 'sources', index]),
    ),
  ]
}

function sourceProblems(source: Source, path: PodProblem['path']): PodProblem[] {
  const { secret, downwardAPI, serviceAccountToken } = source
  const given = PROJECTION_SOURCES.filter((one) => source[one] !== undefined)
  return [
    ...(given.length !== 1 || serviceAccountToken !== undefined ? [{ path, message: POD_MESSAGES.projection }] : []),
    ...(secret === undefined ? [] : secretProblems(secret.name, [...path, 'secret', 'name'])),
    ...fieldProblems(downwardAPI?.items, [...path, 'downwardAPI']),
  ]
}

function fieldProblems(items: readonly Item[] = [], path: PodProblem['path']): PodProblem[] {
  return items.flatMap((item, index) =>
    (item.fieldRef === undefined) === (item.resourceFieldRef === undefined)
      ? [{ path: [...path, 'items', index], message: POD_MESSAGES.item }]
      : [],
  )
}

function mountProblems({ mountPath }: Mount, path: PodProblem['path']): PodProblem[] {
  return isReservedPath(mountPath) ? [{ path: [...path, 'mountPath'], message: POD_MESSAGES.reservedPath }] : []
}

// The API server refuses a list-map with a duplicate key.
function repeated(keys: readonly string[], list: string): PodProblem[] {
  return keys.flatMap((key, index) =>
    keys.indexOf(key) < index ? [{ path: [list, index], message: 'is listed twice' }] : [],
  )
}
