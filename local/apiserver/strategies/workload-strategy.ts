import { isObject, objectsOf } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { forbiddenField, invalidValue, required } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { labelValueFaults } from '../kinds/names.ts'
import { MOMENTS, fillDefaults, fillPodSpec } from './pod-defaults.ts'
import type { Defaults } from './pod-defaults.ts'
import { podFaults } from './pod-faults.ts'
import { dropZeros, immutable, read, section } from './strategy-parts.ts'
import type { Strategy } from './strategy-parts.ts'

const COUNTS = [
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'observedGeneration',
]

function rollsThough(object: KubeObject): Cause[] {
  const strategy = read(object, 'spec', 'strategy')
  if (!isObject(strategy) || strategy['type'] !== 'Recreate' || strategy['rollingUpdate'] === undefined) return []
  return [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
}

/** The cause of a template whose labels the selector does not match. */
export function selectsTemplate(object: KubeObject): Cause[] {
  const wanted = read(object, 'spec', 'selector', 'matchLabels') ?? {}
  const labels = read(object, 'spec', 'template', 'metadata', 'labels') ?? null
  if (!isObject(labels))
    return [invalidValue('spec.template.metadata.labels', null, '`selector` does not match template `labels`')]
  if (Object.entries(wanted).every(([key, value]) => labels[key] === value)) return []
  return [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
}

/** Fills the defaults of a pod template. */
export function fillTemplate(spec: JsonObject): void {
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

/** Strategy of deployments: the template gets defaults and must match the selector. */
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
  create: (object) => {
    object['status'] = {}
  },
  validate: (object, old) => [
    ...podFaults(read(object, 'spec', 'template', 'spec'), 'spec.template.spec'),
    ...selectsTemplate(object),
    ...rollsThough(object),
    ...boundFaults(read(object, 'spec', 'replicas'), 'replicas'),
    ...immutable(object, old, 'spec', 'selector'),
  ],
}

const JOB: Defaults = {
  // Completions default to 1 only if parallelism is absent too.
  completions: (spec) => (spec['parallelism'] === undefined ? 1 : undefined),
  parallelism: 1,
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
  manualSelector: false,
}

/** Strategy of jobs: the selector matches the job's uid. */
export const job: Strategy = {
  defaults(object) {
    section(section(section(object, 'spec'), 'template'), 'spec')
    fillDefaults(section(object, 'spec'), JOB)
    fillTemplate(section(object, 'spec'))
    dropZeros(section(object, 'status'), ['active', 'succeeded', 'failed'])
    // The job and its template share one map of labels, as in kube-apiserver: labels added to the template appear on the job.
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
  stored(object) {
    if (object.metadata.labels) object.metadata.labels = { ...object.metadata.labels }
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

/** The cause of a changed template; a suspended job may change the template's metadata. */
function templateChanged(object: KubeObject, old: KubeObject | undefined): Cause[] {
  const waits = old !== undefined && read(old, 'spec', 'suspend') === true
  return immutable(object, old, 'spec', 'template', ...(waits ? ['spec'] : []))
}

/** The causes of an absent selector, which selects no template. */
export function unselected(object: KubeObject): Cause[] {
  const labels = read(object, 'spec', 'template', 'metadata', 'labels') ?? null
  const why = '`selector` does not match template `labels`'
  return [required('spec.selector'), invalidValue('spec.template.metadata.labels', labels, why)]
}

function jobRestartPolicy(object: KubeObject): Cause[] {
  const policy = read(object, 'spec', 'template', 'spec', 'restartPolicy')
  if (policy === 'Never' || policy === 'OnFailure') return []
  return [required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')]
}

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** The cause of a negative number or of a bad percentage. */
export function boundFaults(bound: Json | undefined, key: string): Cause[] {
  if (typeof bound === 'number' && bound < 0)
    return [invalidValue(`spec.${key}`, bound, 'must be greater than or equal to 0')]
  if (typeof bound === 'string' && !/^\d+%$/.test(bound)) return [invalidValue(`spec.${key}`, bound, PERCENT)]
  return []
}

const BUDGET_COUNTS: Defaults = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

/** Defaults of a condition. */
function conditionFaults(object: KubeObject): Cause[] {
  return objectsOf(read(object, 'status', 'conditions')).flatMap((condition, i) =>
    ['lastTransitionTime', 'reason'].flatMap((key) =>
      condition[key] ? [] : [required(`status.conditions[${i}].${key}`)],
    ),
  )
}

/** Strategy of PodDisruptionBudgets: one bound, not both. */
export const disruptionBudget: Strategy = {
  defaults: (object) => fillDefaults(section(object, 'status'), BUDGET_COUNTS),
  create(object) {
    object['status'] = {}
    fillDefaults(section(object, 'status'), BUDGET_COUNTS)
  },
  validate: (object) => {
    const { minAvailable: MinAvailable, maxUnavailable: MaxUnavailable } = section(object, 'spec')
    const found = [
      ...boundFaults(MinAvailable, 'minAvailable'),
      ...boundFaults(MaxUnavailable, 'maxUnavailable'),
      ...conditionFaults(object),
    ]
    if (MinAvailable === undefined || MaxUnavailable === undefined) return found
    const Selector = section(object, 'spec')['selector'] ?? null
    const shown = { MinAvailable, Selector, MaxUnavailable, UnhealthyPodEvictionPolicy: null }
    return [invalidValue('spec', shown, 'minAvailable and maxUnavailable cannot be both set'), ...found]
  },
}
