import type { Cause, Json, JsonObject, KubeObject } from '../contract.ts'
import { isObject } from '../patch/json-value.ts'
import { invalidValue, nameFaults } from './meta.ts'
import { POD_SPEC, fillDefaults } from './pod-defaults.ts'
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
  const containers = items(isObject(spec) ? spec['containers'] : undefined)
  if (containers.length === 0) return [required(`${path}.containers`)]
  return containers.flatMap(({ name, image }, i) => [
    ...nameFaults(String(name ?? ''), 'label').map((why) =>
      invalidValue(`${path}.containers[${i}].name`, name ?? '', why),
    ),
    ...(image ? [] : [required(`${path}.containers[${i}].image`)]),
  ])
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

function selectsTemplate(object: KubeObject): Cause[] {
  const wanted = read(object, 'spec', 'selector', 'matchLabels') ?? {}
  const labels = read(object, 'spec', 'template', 'metadata', 'labels') ?? null
  if (!isObject(labels))
    return [invalidValue('spec.template.metadata.labels', null, '`selector` does not match template `labels`')]
  if (Object.entries(wanted).every(([key, value]) => labels[key] === value)) return []
  return [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
}

const TEMPLATE: Defaults = { metadata: {}, 'spec?': POD_SPEC }
const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } }
const DEPLOYMENT: Defaults = {
  replicas: 1,
  strategy: ROLLING,
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
  'template?': TEMPLATE,
}

/** Deployments: their template is defaulted and must be selected. */
export const deployment: Strategy = {
  defaults(object) {
    const spec = section(object, 'spec')
    section(section(spec, 'template'), 'spec')
    fillDefaults(spec, DEPLOYMENT)
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
  'template?': TEMPLATE,
}

/** Jobs: they select their pods by their own uid. */
export const job: Strategy = {
  defaults(object) {
    fillDefaults(section(object, 'spec'), JOB)
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
  update(object, old) {
    const spec = section(object, 'spec')
    spec['selector'] ??= section(old, 'spec')['selector']
  },
  validate: (object, old) => [
    ...podFaults(read(object, 'spec', 'template', 'spec'), 'spec.template.spec'),
    ...jobRestartPolicy(object),
    ...immutable(object, old, 'spec', 'completions'),
    ...immutable(object, old, 'spec', 'selector'),
    ...immutable(object, old, 'spec', 'template'),
  ],
}

function jobRestartPolicy(object: KubeObject): Cause[] {
  const policy = read(object, 'spec', 'template', 'spec', 'restartPolicy')
  if (policy === 'Never' || policy === 'OnFailure') return []
  return [required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')]
}

const tolerate = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })

/** Pods: their status begins as pending. */
export const pod: Strategy = {
  defaults(object) {
    fillDefaults(section(object, 'spec'), { ...POD_SPEC, enableServiceLinks: true })
    fillDefaults(section(object, 'status'), {
      conditions: [MOMENTS],
      podIPs: ({ podIP }) => (podIP === undefined ? undefined : [{ ip: podIP }]),
    })
  },
  updateStatus(object, old) {
    section(object, 'status')['qosClass'] ??= section(old, 'status')['qosClass']
  },
  create(object) {
    const spec = section(object, 'spec')
    spec['priority'] ??= 0
    spec['preemptionPolicy'] ??= 'PreemptLowerPriority'
    spec['tolerations'] ??= ['not-ready', 'unreachable'].map((key) => tolerate(`node.kubernetes.io/${key}`))
    object['status'] = { phase: 'Pending', qosClass: qosOf(spec['containers']) }
  },
  validate: (object, old) => [...podFaults(object['spec'], 'spec'), ...immutable(object, old, 'spec', 'nodeName')],
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
