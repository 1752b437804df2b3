import { toCell, valueAt } from '#ui/kinds/kind-object.ts'
import { routesText } from './text.ts'

const text = routesText.rules

const plain = [
  'retries',
  'retryOn',
  'timeout',
  'maxOutputTokens',
  'passHeaders',
  'allowedParams',
  'allowedNamespaces',
] as const

/** The rules that a route sets itself, with their names. Pure. */
export function rulesOf(spec: unknown): readonly (readonly [string, string])[] {
  const set = plain.map((field) => [text[field], valueAt(spec, field)] as const)
  const breaker = breakerOf(valueAt(spec, 'circuitBreaker'))
  return [
    ...set.filter(([, value]) => value !== undefined).map(([name, value]) => [name, toCell(value)] as const),
    ...(breaker === undefined ? [] : [[text.breaker, breaker] as const]),
  ]
}

// The defaults of the schema.
function breakerOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const failures = Number(valueAt(value, 'failures') ?? 5)
  return text.breakerOf(failures, String(valueAt(value, 'openFor') ?? '30s'))
}
