import { PII_KINDS } from '#schemas/crds/guardrail-checks.ts'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import { compileGuard } from './compile-guard.ts'
import { PolicyProblem } from './detectors/policy-problem.ts'
import type { PiiKind } from './detectors/pii.ts'
import { JsonTexts } from './json-texts.ts'

/** Text in place of what was removed. */
export const REMOVED = '[redacted]'

/** Removes what must not be shown from texts. */
export interface TextRedactor {
  /**
   * The value with its texts, names of fields and numbers redacted; a number of which a part is removed becomes a text. Yields to the event
   * loop every few milliseconds.
   */
  value(value: unknown): Promise<unknown>
}

/**
 * Creates a redactor of secrets and of what is named: a kind of personal data (`email`), or a pattern in the syntax of RE2. Throws
 * `PolicyProblem` with the place of the first name that cannot be applied: `/1`.
 */
export function createTextRedactor(names: readonly string[]): TextRedactor {
  const guard = compileNames(names)
  return {
    value: async (value) => {
      const found = new JsonTexts(value)
      const { texts } = await guard.texts('response', found.texts)
      return found.replaced(texts, REMOVED)
    },
  }
}

function compileNames(names: readonly string[]) {
  const kinds = PII_KINDS.filter((kind) => names.includes(kind))
  const patterns = names.filter((name) => !isKind(name))
  const rules = [
    toRule({ secrets: {} }),
    ...(kinds.length === 0 ? [] : [toRule({ pii: { kinds } })]),
    ...patterns.map((pattern) => toRule({ regex: { patterns: [pattern] } })),
  ]
  try {
    return compileGuard([{ namespace: '', name: 'redaction', rules }])
  } catch (error) {
    if (!(error instanceof PolicyProblem)) throw error
    const rule = Number(/^\/rules\/(\d+)/.exec(error.pointer)?.[1])
    const pattern = patterns[rule - rules.length + patterns.length]
    throw new PolicyProblem(`/${names.indexOf(pattern ?? '')}`, error.detail)
  }
}

function toRule(check: Pick<GuardrailRule, 'secrets' | 'pii' | 'regex'>): GuardrailRule {
  return { name: 'redact', action: 'mask', mask: REMOVED, ...check }
}

function isKind(name: string): name is PiiKind {
  return PII_KINDS.some((kind) => kind === name)
}
