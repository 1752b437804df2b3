import { equalJson, isObject, objectsOf } from '../../json/json-value.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import type { KubeObject } from '../../json/kube-object.ts'
import { forbiddenField, invalidValue } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'
import { MOMENTS, fillDefaults, fillPodSpec } from './pod-defaults.ts'
import { podFaults } from './pod-faults.ts'
import { section } from '../parts/strategy-parts.ts'
import type { Strategy } from '../parts/strategy-parts.ts'

/** Quality of service class by the containers' requests and limits. */
function qosOf(containers: Json | undefined): string {
  const bounds = objectsOf(containers).map(({ resources }) => (isObject(resources) ? resources : {}))
  const some = bounds.some((each) =>
    [each['requests'], each['limits']].some((part) => isObject(part) && Object.keys(part).length > 0),
  )
  const whole = bounds.every(({ limits, requests }) =>
    ['cpu', 'memory'].every(
      (key) =>
        isObject(limits) &&
        limits[key] !== undefined &&
        (!isObject(requests) || requests[key] === undefined || requests[key] === limits[key]),
    ),
  )
  return some ? (whole ? 'Guaranteed' : 'Burstable') : 'BestEffort'
}

const tolerate = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })

/** Fields that admission plugins of kube-apiserver fill in. */
function admit(object: KubeObject): JsonObject {
  const spec = section(object, 'spec')
  spec['priority'] ??= 0
  spec['preemptionPolicy'] ??= 'PreemptLowerPriority'
  spec['tolerations'] ??= ['not-ready', 'unreachable'].map((key) => tolerate(`node.kubernetes.io/${key}`))
  return spec
}

const POD_CHANGES =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** Causes of changes to a pod's spec, which is immutable except for a few fields. */
function podChanges(object: KubeObject, old: KubeObject): Cause[] {
  const [next, before] = [section(object, 'spec'), section(old, 'spec')]
  if (objectsOf(next['containers']).length !== objectsOf(before['containers']).length)
    return [forbiddenField('spec.containers', 'pod updates may not add or remove containers')]
  const changed = equalJson(withoutMutable(next), withoutMutable(before)) ? [] : [forbiddenField('spec', POD_CHANGES)]
  return [...deadlineFaults(next, before), ...changed]
}

/** The cause of a pod deadline that is removed or extended. */
function deadlineFaults(next: JsonObject, before: JsonObject): Cause[] {
  const [wanted = null, old] = [next['activeDeadlineSeconds'], before['activeDeadlineSeconds']]
  if (typeof old !== 'number' || (typeof wanted === 'number' && wanted <= old)) return []
  const why =
    wanted === null
      ? 'must not update from a positive integer to nil value'
      : 'must be less than or equal to previous value'
  return [invalidValue('spec.activeDeadlineSeconds', wanted, why)]
}

function withoutMutable(spec: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, ...rest } = spec
  const imageless = (key: string) => objectsOf(spec[key]).map(({ image: _image, ...container }) => container)
  return { ...rest, containers: imageless('containers'), initContainers: imageless('initContainers') }
}

/** Strategy of pods: the initial phase is Pending. */
export const pod: Strategy = {
  defaults(object) {
    fillPodSpec(section(object, 'spec'), { enableServiceLinks: true })
    fillDefaults(section(object, 'status'), {
      conditions: [MOMENTS],
      podIPs: ({ podIP }) => (podIP === undefined ? undefined : [{ ip: podIP }]),
    })
  },
  updateStatus(object, old) {
    section(object, 'status')['qosClass'] ??= section(old, 'status')['qosClass']
  },
  update: admit,
  create(object) {
    const spec = admit(object)
    object['status'] = { phase: 'Pending', qosClass: qosOf(spec['containers']) }
  },
  validate: (object, old) => [...podFaults(object['spec'], 'spec'), ...(old ? podChanges(object, old) : [])],
}
