import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import type { Detector } from './detectors/detector.ts'
import type { Action, Finding, GuardrailRules, Stage } from './guard.ts'
import { outputCheck } from './output-schema.ts'
import type { OutputCheck } from './output-schema.ts'
import { piiDetector } from './detectors/pii.ts'
import { PolicyProblem } from './detectors/policy-problem.ts'
import { regexDetector } from './detectors/regex.ts'
import { secretDetector } from './detectors/secrets.ts'
import { wordDetector } from './detectors/words.ts'

/** A rule that can be applied. */
export interface CompiledRule {
  /** `namespace/name`. */
  readonly policy: string
  readonly name: string
  readonly action: Action
  readonly mask: string
  readonly stages: ReadonlySet<Stage>
  /** Present for rules on text. */
  readonly detector?: Detector
  readonly output?: OutputCheck
  readonly models?: NonNullable<GuardrailRule['models']>
}

const allStages: readonly Stage[] = ['request', 'response', 'tool_call']
const defaultMask = '[masked]'

/** Compiles the rules of a policy. Throws `PolicyProblem` with the place. Rules with an external check have no part here. */
export function compileRules({ namespace, name, rules }: GuardrailRules): readonly CompiledRule[] {
  return rules.flatMap((rule, index) => {
    if (rule.http !== undefined) return []
    const { name: named, action, mask = defaultMask, stages } = rule
    const common = { policy: `${namespace}/${name}`, name: named, action, mask }
    return [{ ...common, stages: new Set<Stage>(stages ?? allStages), ...at(`/rules/${index}`, () => checkOf(rule)) }]
  })
}

/** A finding of a rule. */
export function toFinding({ policy, name, action }: CompiledRule, stage: Stage, count: number): Finding {
  return { policy, rule: name, stage, action, count }
}

function checkOf({ regex, secrets, pii, words, models, outputSchema }: GuardrailRule): Partial<CompiledRule> {
  if (regex !== undefined) return { detector: at('/regex', () => regexDetector(regex)) }
  if (secrets !== undefined) return { detector: secretDetector(secrets.kinds) }
  if (pii !== undefined) return { detector: piiDetector(pii.kinds) }
  if (words !== undefined) return { detector: wordDetector(words.phrases) }
  if (models !== undefined) return { models, stages: new Set(['request']) }
  if (outputSchema !== undefined)
    return { output: at('/outputSchema', () => outputCheck(outputSchema)), stages: new Set(['response']) }
  throw new PolicyProblem('', 'has no check')
}

function at<T>(pointer: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof PolicyProblem ? error.below(pointer) : error
  }
}
