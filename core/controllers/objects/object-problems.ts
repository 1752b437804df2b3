import { asObject } from '#core/json/is-object.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import type { NamedObject, ObjectProblems } from '#core/cluster/object-index-tables.ts'

/** Status of a condition that is as it should be. Other conditions explain these. */
const expected: ReadonlyMap<unknown, string> = new Map([
  ['Ready', 'True'],
  ['Degraded', 'False'],
  ['EvalGated', 'False'],
  ['ManifestAccepted', 'True'],
])

/** Conditions of an object that are not as they should be, by type. `Unknown` is neither: the controller has not decided yet. Pure. */
export function conditionProblems({ status }: Pick<KubeObject, 'status'>): ObjectProblems {
  const { conditions, unresolvedReferences } = asObject(status)
  const problems: Record<string, ObjectProblems[string]> = {}
  for (const condition of Array.isArray(conditions) ? conditions : []) {
    const { type, status: value, reason, lastTransitionTime } = asObject(condition)
    const wanted = expected.get(type)
    if (wanted === undefined || (value !== 'True' && value !== 'False') || value === wanted) continue
    const word = toReason(reason)
    const reference = referenceOf(unresolvedReferences, word)
    problems[String(type)] = { reason: word, since: toTime(lastTransitionTime), ...(reference && { reference }) }
  }
  return problems
}

// A reason is a word of the controller; anything else is not stored.
function toReason(reason: unknown): string {
  return typeof reason === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,127}$/.test(reason) ? reason : 'Unknown'
}

// The first reference with the reason of a condition explains it. Names only: texts of a status are not stored.
function referenceOf(references: unknown, wanted: string): NamedObject | undefined {
  if (!Array.isArray(references)) return undefined
  const { kind, namespace, name } = asObject(references.find((one) => asObject(one)['reason'] === wanted))
  if (typeof kind !== 'string' || typeof namespace !== 'string' || typeof name !== 'string') return undefined
  const isNamed = /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind) && isLabel(namespace) && isName(name)
  return isNamed ? { kind, namespace, name } : undefined
}

function toTime(time: unknown): string | null {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
