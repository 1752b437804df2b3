import type { Cause, Json, JsonObject, KubeObject } from '../contract.ts'
import { equalJson, isObject } from '../patch/json-value.ts'
import { forbiddenField, invalidValue, labelValueFaults, nameFaults } from './meta.ts'
import { fillDefaults, fillPodSpec } from './pod-defaults.ts'
import type { Defaults } from './pod-defaults.ts'
import { dropZeros, immutable, read, required, section } from './strategy-parts.ts'
import type { Strategy } from './strategy-parts.ts'

const COUNTS = [
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'observedGeneration',
]

const MOMENTS: Defaults = { lastProbeTime: null, lastTransitionTime: null }

const items = (list: Json | undefined): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])

/** What a container must have, and the containers that a pod must have. */
function podFaults(spec: Json | undefined, path: string): Cause[] {
  const whole = isObject(spec) ? spec : {}
  const containers = items(whole['containers'])
  if (containers.length === 0) return [required(`${path}.containers`)]
  const own = containers.flatMap(({ name, image }, i) => [
    ...nameFaults(String(name ?? ''), 'label').map((why) =>
      invalidValue(`${path}.containers[${i}].name`, name ?? '', why),
    ),
    ...(image ? [] : [required(`${path}.containers[${i}].image`)]),
  ])
  return [...volumeFaults(whole, path), ...own]
}

// In the order in which the real server looks for them: the first one counts, the others are one too many.
const VOLUMES = ['emptyDir', 'hostPath', 'secret', 'persistentVolumeClaim', 'downwardAPI', 'configMap', 'projected']
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc']

/** All but the first of the keys that are there: a merge of two writers easily leaves two. */
function tooMany(of: Json | undefined, path: string, keys: readonly string[], what: string): Cause[] {
  const given = isObject(of) ? keys.filter((key) => of[key] !== undefined) : []
  return given.slice(1).map((key) => forbiddenField(`${path}.${key}`, `may not specify more than 1 ${what} type`))
}

/** Volumes of one type each, and mounts of volumes that are there. */
function volumeFaults(spec: JsonObject, path: string): Cause[] {
  const known = new Set<Json | undefined>()
  const faults = items(spec['volumes']).flatMap((volume, i) => {
    const found = tooMany(volume, `${path}.volumes[${i}]`, VOLUMES, 'volume')
    if (found.length === 0) known.add(volume['name'])
    return found
  })
  return items(spec['containers']).reduce((sum, container, i) => {
    const at = `${path}.containers[${i}]`
    const lost = items(container['volumeMounts']).flatMap(({ name }, j) =>
      known.has(name)
        ? []
        : [
            {
              reason: 'FieldValueNotFound',
              message: `Not found: ${JSON.stringify(name)}`,
              field: `${at}.volumeMounts[${j}].name`,
            },
          ],
    )
    return [...sum, ...lost, ...tooMany(container['readinessProbe'], `${at}.readinessProbe`, HANDLERS, 'handler')]
  }, faults)
}

/** How a pod's containers bound what they use: all of it, some of it, nothing. */
function qosOf(containers: Json | undefined): string {
  const bounds = items(containers).map(({ resources }) => (isObject(resources) ? resources : {}))
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

function rollsThough(object: KubeObject): Cause[] {
  const strategy = read(object, 'spec', 'strategy')
  if (!isObject(strategy) || strategy['type'] !== 'Recreate' || strategy['rollingUpdate'] === undefined) return []
  return [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
}

function selectsTemplate(object: KubeObject): Cause[] {
  const wanted = read(object, 'spec', 'selector', 'matchLabels') ?? {}
  const labels = read(object, 'spec', 'template', 'metadata', 'labels') ?? null
  if (!isObject(labels))
    return [invalidValue('spec.template.metadata.labels', null, '`selector` does not match template `labels`')]
  if (Object.entries(wanted).every(([key, value]) => labels[key] === value)) return []
  return [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
}

function fillTemplate(spec: JsonObject): void {
  const template = spec['template']
  if (!isObject(template)) return
  fillDefaults(template, { metadata: {} })
  if (isObject(template['spec'])) fillPodSpec(template['spec'])
}

const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } }
const DEPLOYMENT: Defaults = {
  replicas: 1,
  strategy: ROLLING,
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
}

/** Deployments: their template is defaulted and must be selected. */
export const deployment: Strategy = {
  defaults(object) {
    const spec = section(object, 'spec')
    section(section(spec, 'template'), 'spec')
    fillDefaults(spec, DEPLOYMENT)
    fillTemplate(spec)
    if (spec['paused'] === false) delete spec['paused']
    dropZeros(spec, ['minReadySeconds'])
    dropZeros(section(object, 'status'), COUNTS)
    fillDefaults(section(object, 'status'), { conditions: [{ lastUpdateTime: null, lastTransitionTime: null }] })
    const strategy = section(spec, 'strategy')
    strategy['type'] ??= 'RollingUpdate'
    if (strategy['type'] === 'RollingUpdate') fillDefaults(section(strategy, 'rollingUpdate'), ROLLING.rollingUpdate)
  },
  create: (object) => void (object['status'] = {}),
  validate: (object, old) => [
    ...podFaults(read(object, 'spec', 'template', 'spec'), 'spec.template.spec'),
    ...selectsTemplate(object),
    ...rollsThough(object),
    ...boundFaults(read(object, 'spec', 'replicas'), 'replicas'),
    ...immutable(object, old, 'spec', 'selector'),
  ],
}

const JOB: Defaults = {
  // Only where neither is said does a job complete once.
  completions: (spec) => (spec['parallelism'] === undefined ? 1 : undefined),
  parallelism: 1,
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
  manualSelector: false,
}

/** Jobs: they select their pods by their own uid. */
export const job: Strategy = {
  defaults(object) {
    fillDefaults(section(object, 'spec'), JOB)
    fillTemplate(section(object, 'spec'))
    dropZeros(section(object, 'status'), ['active', 'succeeded', 'failed'])
    // One map for both, as in Go: what the create adds to the template's labels shows in the job's own.
    const labels = read(object, 'spec', 'template', 'metadata', 'labels')
    if (isObject(labels)) object.metadata.labels ??= labels as { [key: string]: string }
    fillDefaults(section(object, 'status'), { conditions: [MOMENTS] })
  },
  create(object) {
    const spec = section(object, 'spec')
    object['status'] = {}
    if (spec['manualSelector'] === true) return
    const uid = String(object.metadata.uid)
    spec['selector'] = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } }
    const labels = section(section(section(spec, 'template'), 'metadata'), 'labels')
    const own = { 'controller-uid': uid, 'job-name': object.metadata.name }
    for (const [key, value] of Object.entries(own)) labels[`batch.kubernetes.io/${key}`] = labels[key] = value
  },
  validate: (object, old) => [
    ...podFaults(read(object, 'spec', 'template', 'spec'), 'spec.template.spec'),
    ...jobRestartPolicy(object),
    // The name is a label of the pods.
    ...labelValueFaults(object.metadata.name, 'spec.template.labels'),
    ...(old && read(object, 'spec', 'selector') === undefined ? unselected(object) : []),
    ...immutable(object, old, 'spec', 'completions'),
    ...immutable(object, old, 'spec', 'selector'),
    ...templateChanged(object, old),
  ],
}

/** Of a template that may not change the real server names the pod's spec when nothing else did; a job that waits may change the rest. */
function templateChanged(object: KubeObject, old: KubeObject | undefined): Cause[] {
  const waits = old !== undefined && read(old, 'spec', 'suspend') === true
  const whole = !waits && immutable(object, old, 'spec', 'template', 'metadata').length > 0
  return immutable(object, old, 'spec', 'template', ...(whole ? [] : ['spec']))
}

function unselected(object: KubeObject): Cause[] {
  const labels = read(object, 'spec', 'template', 'metadata', 'labels') ?? null
  const why = '`selector` does not match template `labels`'
  return [required('spec.selector'), invalidValue('spec.template.metadata.labels', labels, why)]
}

function jobRestartPolicy(object: KubeObject): Cause[] {
  const policy = read(object, 'spec', 'template', 'spec', 'restartPolicy')
  if (policy === 'Never' || policy === 'OnFailure') return []
  return [required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')]
}

const tolerate = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })

/** What the admission of the real server fills in. */
function admit(object: KubeObject): JsonObject {
  const spec = section(object, 'spec')
  spec['priority'] ??= 0
  spec['preemptionPolicy'] ??= 'PreemptLowerPriority'
  spec['tolerations'] ??= ['not-ready', 'unreachable'].map((key) => tolerate(`node.kubernetes.io/${key}`))
  return spec
}

const POD_CHANGES =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** The changes of a pod's spec that are refused: nearly all. */
function podChanges(object: KubeObject, old: KubeObject): Cause[] {
  const [next, before] = [section(object, 'spec'), section(old, 'spec')]
  if (items(next['containers']).length !== items(before['containers']).length)
    return [forbiddenField('spec.containers', 'pod updates may not add or remove containers')]
  const changed = equalJson(withoutMutable(next), withoutMutable(before)) ? [] : [forbiddenField('spec', POD_CHANGES)]
  return [...deadlineFaults(next, before), ...changed]
}

/** The deadline of a pod only comes nearer. */
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
  const imageless = (key: string) => items(spec[key]).map(({ image: _image, ...container }) => container)
  return { ...rest, containers: imageless('containers'), initContainers: imageless('initContainers') }
}

/** Pods: their status begins as pending. */
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

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

function boundFaults(bound: Json | undefined, key: string): Cause[] {
  if (typeof bound === 'number' && bound < 0)
    return [invalidValue(`spec.${key}`, bound, 'must be greater than or equal to 0')]
  if (typeof bound === 'string' && !/^\d+%$/.test(bound)) return [invalidValue(`spec.${key}`, bound, PERCENT)]
  return []
}

/** PodDisruptionBudgets: one bound, not both. */
export const disruptionBudget: Strategy = {
  create: (object) =>
    void (object['status'] = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  validate: (object) => {
    const { minAvailable: MinAvailable, maxUnavailable: MaxUnavailable } = section(object, 'spec')
    if (MinAvailable === undefined || MaxUnavailable === undefined)
      return [...boundFaults(MinAvailable, 'minAvailable'), ...boundFaults(MaxUnavailable, 'maxUnavailable')]
    const Selector = section(object, 'spec')['selector'] ?? null
    const shown = { MinAvailable, Selector, MaxUnavailable, UnhealthyPodEvictionPolicy: null }
    return [invalidValue('spec', shown, 'minAvailable and maxUnavailable cannot be both set')]
  },
}
