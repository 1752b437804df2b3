import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import type { Detector } from './detectors/detector.ts'
import type { Action, CheckName, Finding, GuardrailRules, IsApproved, Stage } from './guard.ts'
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
  readonly check: CheckName
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
/** Instructions of all patterns of a policy. */
const maxCost = 20_000

/** Compiles the rules of a policy. Throws `PolicyProblem` with the place. Rules with an external check are skipped. */
export function compileRules({ namespace, name, rules }: GuardrailRules): readonly CompiledRule[] {
  let cost = 0
  return rules.flatMap((rule, index) => {
    if (rule.http !== undefined) return []
    const check = at(`/rules/${index}`, () => checkOf(rule))
    cost += check.detector?.cost ?? 0
    if (cost > maxCost)
      throw new PolicyProblem(`/rules/${index}/regex`, 'makes the combined patterns of the policy too large')
    const { name: named, action, mask = defaultMask, stages } = rule
    const common = { policy: `${namespace}/${name}`, name: named, action, mask }
    return [{ ...common, stages: new Set<Stage>(stages ?? allStages), ...check }]
  })
}

/** Whether a match of the rule ends the call: it blocks, or requires an approval that is missing. */
export function isStopping(
  { policy, name, action }: Pick<CompiledRule, 'policy' | 'name' | 'action'>,
  stage: Stage,
  isApproved: IsApproved,
): boolean {
  return action === 'block' || (action === 'require_approval' && !isApproved({ policy, rule: name, stage }))
}

/** A finding of a rule. */
export function toFinding(
  { policy, name, check, action }: Pick<CompiledRule, 'policy' | 'name' | 'check' | 'action'>,
  stage: Stage,
  count: number,
): Finding {
  return { policy, rule: name, check, stage, action, count }
}

type Check = Pick<CompiledRule, 'check' | 'detector' | 'output' | 'models'> & Partial<Pick<CompiledRule, 'stages'>>

function checkOf({ regex, secrets, pii, words, models, outputSchema }: GuardrailRule): Check {
  if (regex !== undefined) return { check: 'regex', detector: at('/regex', () => regexDetector(regex)) }
  if (secrets !== undefined) return { check: 'secrets', detector: secretDetector(secrets.kinds) }
  if (pii !== undefined) return { check: 'pii', detector: piiDetector(pii.kinds) }
  if (words !== undefined) return { check: 'words', detector: wordDetector(words.phrases) }
  if (models !== undefined) return { check: 'models', models, stages: new Set(['request']) }
  if (outputSchema === undefined) throw new PolicyProblem('', 'has no check')
  const output = at('/outputSchema', () => outputCheck(outputSchema))
  return { check: 'outputSchema', output, stages: new Set(['response']) }
}

function at<T>(pointer: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof PolicyProblem ? error.below(pointer) : error
  }
}
