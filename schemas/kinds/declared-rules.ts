import type { Rule } from './kind.ts'

/** Messages that the API server may return for the CEL rules of a kind. */
export interface DeclaredRules {
  /** The messages that the rules declare; for a rule without a message, the rule itself is shown. */
  readonly messages: ReadonlySet<string>
  /** Whether a rule computes its message, which may then contain submitted values. */
  readonly computed: boolean
}

interface RuledKind {
  readonly spec: object
  readonly rules?: readonly Rule[]
}

const known = new WeakMap<object, DeclaredRules>()

/** The messages of the rules of a kind, including rules of nested fields. */
export function declaredRules({ spec, rules = [] }: RuledKind): DeclaredRules {
  const before = known.get(spec)
  if (before !== undefined) return before
  const all: readonly WrittenRule[] = [...rules, ...rulesIn(spec, new Set())]
  const declared = {
    messages: new Set(all.map(({ message, rule }) => (message ?? `failed rule: ${rule}`).trim())),
    computed: all.some(({ messageExpression }) => messageExpression !== undefined),
  }
  known.set(spec, declared)
  return declared
}

/** A rule as in Kubernetes; in third-party schemas the message may be absent or computed. */
interface WrittenRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
}

// A recursive schema is read once.
function rulesIn(node: unknown, seen: Set<unknown>): readonly WrittenRule[] {
  if (typeof node !== 'object' || node === null || seen.has(node)) return []
  seen.add(node)
  const { 'x-kubernetes-validations': own = [] } = node as { 'x-kubernetes-validations'?: readonly WrittenRule[] }
  return [...own, ...Object.values(node).flatMap((value) => rulesIn(value, seen))]
}
