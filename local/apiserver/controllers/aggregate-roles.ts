import { equalJson, isObject, objectsOf, stringsOf } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'

/**
 * The ClusterRole with the rules that its aggregationRule collects from `all`, or undefined when it has none or
 * nothing changes. An aggregated role may be collected itself; cycles are cut.
 */
export function aggregate(role: KubeObject, all: readonly KubeObject[]): KubeObject | undefined {
  if (selectorsOf(role).length === 0) return undefined
  const rules = aggregatedRules(role, all, new Set())
  return equalJson(role['rules'], rules) ? undefined : { ...role, rules }
}

/** Rules of a ClusterRole after aggregation. */
export function aggregatedRules(role: KubeObject, all: readonly KubeObject[], seen: Set<string>) {
  const selectors = selectorsOf(role)
  if (selectors.length === 0) return objectsOf(role['rules'])
  if (seen.has(role.metadata.name)) return []
  seen.add(role.metadata.name)
  const rules: ReturnType<typeof objectsOf> = []
  for (const selector of selectors) {
    const chosen = all.filter(
      (other) => other.metadata.name !== role.metadata.name && matchesSelector(selector, other.metadata.labels ?? {}),
    )
    for (const other of chosen.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
      for (const rule of aggregatedRules(other, all, seen))
        if (!rules.some((each) => equalJson(each, rule))) rules.push(rule)
    }
  }
  seen.delete(role.metadata.name)
  return rules
}

function selectorsOf(role: KubeObject) {
  const aggregation = role['aggregationRule']
  return isObject(aggregation) ? objectsOf(aggregation['clusterRoleSelectors']) : []
}

/** True when a LabelSelector (matchLabels, matchExpressions) selects the labels. */
export function matchesSelector(
  selector: ReturnType<typeof objectsOf>[number],
  labels: { readonly [key: string]: string },
): boolean {
  const wanted = isObject(selector['matchLabels']) ? selector['matchLabels'] : {}
  return (
    Object.entries(wanted).every(([key, value]) => labels[key] === value) &&
    objectsOf(selector['matchExpressions']).every((expression) => matchesExpression(expression, labels))
  )
}

function matchesExpression(
  expression: ReturnType<typeof objectsOf>[number],
  labels: { readonly [key: string]: string },
): boolean {
  const value = labels[String(expression['key'])]
  const listed = value !== undefined && stringsOf(expression['values']).includes(value)
  switch (expression['operator']) {
    case 'In':
      return listed
    case 'NotIn':
      return !listed
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}
