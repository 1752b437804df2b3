import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'

type ModelsCheck = NonNullable<GuardrailRule['models']>

/** Whether a model may be called. Patterns without a namespace name routes of the policy's namespace. */
export function isAllowedModel({ allow, deny }: ModelsCheck, name: string, namespace: string): boolean {
  const matches = (pattern: string): boolean => matchesPattern(qualified(pattern, namespace), name)
  if (deny?.some(matches) === true) return false
  return allow === undefined || allow.some(matches)
}

function qualified(pattern: string, namespace: string): string {
  return pattern.includes('/') || pattern === '*' ? pattern : `${namespace}/${pattern}`
}

/** `*` matches any characters. The time is at most the product of both lengths. */
function matchesPattern(pattern: string, name: string): boolean {
  let [at, from] = [0, 0]
  let star = -1
  let retry = 0
  while (from < name.length) {
    if (pattern[at] === '*') {
      star = at++
      retry = from
    } else if (pattern[at] === name[from]) {
      at++
      from++
    } else if (star !== -1) {
      at = star + 1
      from = ++retry
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
