import { isObject } from '../../json/json-value.ts'
import type { KubeObject } from '../../json/kube-object.ts'
import { required } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'
import { labelValueFaults } from '../../kinds/names.ts'
import { MOMENTS, fillDefaults } from './pod-defaults.ts'
import type { Defaults } from './pod-defaults.ts'
import { podFaults } from './pod-faults.ts'
import { dropZeros, immutable, read, section } from '../parts/strategy-parts.ts'
import type { Strategy } from '../parts/strategy-parts.ts'
import { fillTemplate, unselected } from './pod-template.ts'

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

function jobRestartPolicy(object: KubeObject): Cause[] {
  const policy = read(object, 'spec', 'template', 'spec', 'restartPolicy')
  if (policy === 'Never' || policy === 'OnFailure') return []
  return [required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')]
}
