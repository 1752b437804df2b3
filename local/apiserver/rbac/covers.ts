import type { PolicyRule } from './policy-rules.ts'

const NOTHING: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }

/** Maximum number of rule comparisons per check: about 200 ms. */
const MAX_COMPARISONS = 1_000_000

/** True for rules with more combinations of groups, resources, verbs and names than one request may compare. */
export function isTooCostly(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): boolean {
  return wanted.reduce((sum, rule) => sum + combinations(rule), 0) * Math.max(owned.length, 1) > MAX_COMPARISONS
}

const combinations = ({ apiGroups, resources, verbs, resourceNames, nonResourceURLs }: PolicyRule): number =>
  (apiGroups.length * resources.length * Math.max(resourceNames.length, 1) + nonResourceURLs.length) * verbs.length

/** The smallest rules of `wanted` that no single rule of `owned` covers. */
export function missingRights(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !owned.some((rule) => covers(rule, part)))
}

/** Missing rights as kube-apiserver lists them: one sorted line per resource with its verbs. */
export function describeRights(parts: readonly PolicyRule[]): string {
  const byResource = new Map<string, PolicyRule>()
  for (const part of parts) {
    const key = JSON.stringify([
      part.apiGroups,
      part.resources,
      part.resourceNames,
      part.nonResourceURLs,
      part.nonResourceURLs.length > 0 && part.verbs,
    ])
    const known = byResource.get(key)
    byResource.set(key, known ? { ...known, verbs: [...known.verbs, ...part.verbs] } : part)
  }
  return [...new Set([...byResource.values()].map(compactString))].sort().join('\n')
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames.length > 0 ? rule.resourceNames.map((name) => [name]) : [[]]
  const resources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          ...NOTHING,
          apiGroups: [group],
          resources: [resource],
          verbs: [verb],
          resourceNames,
        })),
      ),
    ),
  )
  const urls = rule.nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({ ...NOTHING, nonResourceURLs: [url], verbs: [verb] })),
  )
  return [...resources, ...urls]
}

function covers(owner: PolicyRule, part: PolicyRule): boolean {
  return (
    hasAll(owner.verbs, part.verbs) &&
    hasAll(owner.apiGroups, part.apiGroups) &&
    part.resources.every((resource) => coversResource(owner.resources, resource)) &&
    part.nonResourceURLs.every((url) => owner.nonResourceURLs.some((each) => matchesUrl(each, url))) &&
    (owner.resourceNames.length === 0 ||
      (part.resourceNames.length > 0 && part.resourceNames.every((name) => owner.resourceNames.includes(name))))
  )
}

function hasAll(owned: readonly string[], wanted: readonly string[]): boolean {
  return owned.includes('*') || wanted.every((item) => owned.includes(item))
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes('*') || owned.includes(resource)) return true
  const slash = resource.indexOf('/')
  return slash > 0 && owned.includes(`*${resource.slice(slash)}`)
}

/** True when a rule's URL pattern (a trailing `*` is any suffix) matches a path. */
export function matchesUrl(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/(?<!\*)\*+$/, '')))
}

function compactString(rule: PolicyRule): string {
  const parts: [string, readonly string[]][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  return `{${parts
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}:${quoteList(list)}`)
    .join(', ')}}`
}

/** A list of quoted strings in brackets. */
export function quoteList(list: readonly string[]): string {
  return `[${list.map((item) => JSON.stringify(item)).join(' ')}]`
}
