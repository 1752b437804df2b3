/**
 * Domains of annotations that make admission webhooks or network plugins add containers, files or networks to a pod. An agent
 * could enter its launcher's container with them. `*` does not allow them.
 */
const CHANGES_PODS = [
  'cncf.io',
  'dapr.io',
  'datadoghq.com',
  'dynatrace.com',
  'hashicorp.com',
  'istio.io',
  'linkerd.io',
  'newrelic.com',
  'openshift.io',
  'opentelemetry.io',
  'ovn.org',
  'projectcalico.org',
]

/**
 * Whether the operator allows an annotation, by its domain: `*`, the domain itself, or a parent domain. An annotation without a domain is always
 * allowed. Pure.
 */
export function isAllowedAnnotation(key: string, allowed: readonly string[]): boolean {
  const slash = key.indexOf('/')
  if (slash < 0) return true
  const domain = key.slice(0, slash)
  const isOf = (end: string): boolean => domain === end || domain.endsWith(`.${end}`)
  return allowed.some(isOf) || (allowed.includes('*') && !CHANGES_PODS.some(isOf))
}
