import type { ConditionValue } from '#core/controllers/conditions.ts'

/** One provider of a route. The first one is that of `providerRef`, or of the first target. */
export interface TargetFindings {
  /** `namespace/name`. */
  readonly provider: string
  readonly problem: 'ProviderMissing' | 'ProviderNotAllowed' | 'ProviderNotReady' | undefined
  readonly message: string
}

/**
 * The conditions of a route. It is Ready while one of its providers is usable, since the gateway falls back. `circle` lists the routes by which it
 * reaches itself, as `namespace/name`, with itself at both ends. Pure.
 */
export function routeVerdicts(
  targets: readonly TargetFindings[],
  circle: readonly string[] | undefined,
): readonly ConditionValue[] {
  if (circle !== undefined) {
    const refused = { status: 'False', reason: 'RouteCircle', message: describeCircle(circle) } as const
    return [{ type: 'Accepted', ...refused }, resolvedOf(targets), { type: 'Ready', ...refused }]
  }
  return [
    { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'The route can be used here.' },
    resolvedOf(targets),
    readyOf(targets),
  ]
}

function describeCircle(circle: readonly string[]): string {
  return `The route reaches itself through providers that are this gateway: ${circle.join(' -> ')}.`
}

function resolvedOf(targets: readonly TargetFindings[]): ConditionValue {
  const unresolved = targets.filter(({ problem }) => problem === 'ProviderMissing' || problem === 'ProviderNotAllowed')
  const [first] = unresolved
  if (first?.problem === undefined)
    return { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'Every provider was found.' }
  return { type: 'ResolvedRefs', status: 'False', reason: first.problem, message: messageOf(unresolved) }
}

function readyOf(targets: readonly TargetFindings[]): ConditionValue {
  const broken = targets.filter(({ problem }) => problem !== undefined)
  const [first] = targets
  if (broken.length === 0)
    return { type: 'Ready', status: 'True', reason: 'Ready', message: 'The gateway can call the provider.' }
  if (broken.length < targets.length)
    return { type: 'Ready', status: 'True', reason: 'PartlyReady', message: messageOf(broken) }
  return { type: 'Ready', status: 'False', reason: first?.problem ?? 'ProviderNotReady', message: messageOf(broken) }
}

function messageOf(targets: readonly TargetFindings[]): string {
  return [...new Set(targets.map(({ message }) => message))].join(' ')
}
