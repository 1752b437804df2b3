import { isObject } from '../../json/json-value.ts'
import type { JsonObject } from '../../json/json-value.ts'
import type { KubeObject } from '../../json/kube-object.ts'
import { invalidValue, required } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'
import { fillDefaults, fillPodSpec } from './pod-defaults.ts'
import { read } from '../parts/strategy-parts.ts'

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

/** The causes of an absent selector, which selects no template. */
export function unselected(object: KubeObject): Cause[] {
  const labels = read(object, 'spec', 'template', 'metadata', 'labels') ?? null
  const why = '`selector` does not match template `labels`'
  return [required('spec.selector'), invalidValue('spec.template.metadata.labels', labels, why)]
}
