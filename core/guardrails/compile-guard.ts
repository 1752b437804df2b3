import { createPause } from '#core/async/time-slice.ts'
import type { ContentGuard, Finding, GuardOutcome, GuardrailRules, IsApproved, Stage, TextsOutcome } from './guard.ts'
import type { Mask } from './body/mask.ts'
import { isAllowedModel } from './model-names.ts'
import { compileRules, isStopping, toFinding } from './rule-checks.ts'
import type { CompiledRule } from './rule-checks.ts'
import { TextGuard, createMaskGuard } from './stream-guard.ts'
import { hasEncoding } from './readings/encodings.ts'
import { TextDecision } from './text-decision.ts'
import { TextJudge, maxWhole, mergeFindings, withMasks } from './text-judge.ts'

/** Creates the pause of one check of complete texts, called after each block. It may throw to end the check. */
export type NewPause = typeof createPause

/** Compiles the policies of a call. Throws `PolicyProblem` with the place of the first rule that cannot be applied. */
export function compileGuard(policies: readonly GuardrailRules[], newPause: NewPause = createPause): ContentGuard {
  const rules = policies.flatMap(compileRules)
  const ofStage = (stage: Stage): readonly CompiledRule[] => rules.filter(({ stages }) => stages.has(stage))
  const answers = ofStage('response')
  const ofResults = ofStage('tool_call').filter(({ stages }) => !stages.has('request'))
  const ofKeys = ofStage('request').filter(({ check }) => check === 'secrets')
  const holdsWhole = answers.some(({ output }) => output !== undefined)
  // One more: a pair of surrogates is released together.
  const lookBack = new TextDecision(answers, 'response').lookBack + 1
  return {
    stages: new Set(rules.flatMap(({ stages }) => [...stages])),
    lookBack: holdsWhole ? maxWhole : lookBack,
    holdsWhole,
    model: (name, isApproved) => checkModel(rules, name, isApproved),
    texts: (stage, texts, isApproved) => checkTexts(ofStage(stage), { stage, texts, isApproved, newPause }),
    split: (texts, isApproved) => checkTexts(ofKeys, { stage: 'request', texts, isApproved, newPause }),
    results: (texts, isApproved) => checkTexts(ofResults, { stage: 'tool_call', texts, isApproved, newPause }),
    stream: (isApproved) => new TextGuard(answers, 'response', isApproved),
    masks: (isApproved) => createMaskGuard(answers, 'response', isApproved),
  }
}

function checkModel(rules: readonly CompiledRule[], name: string, isApproved: IsApproved = () => false): GuardOutcome {
  const failed = rules.filter(({ models, policy }) => {
    const [namespace = ''] = policy.split('/', 1)
    return models !== undefined && !isAllowedModel(models, name, namespace)
  })
  const findings = failed.map((rule) => toFinding(rule, 'request', 1))
  const stops = failed.filter((rule) => isStopping(rule, 'request', isApproved))
  const stop = stops.find(({ action }) => action === 'block') ?? stops[0]
  if (stop === undefined) return { decision: 'pass', findings }
  const decision = stop.action === 'block' ? 'block' : 'require_approval'
  return { decision, by: toFinding(stop, 'request', 1), findings }
}

interface Texts {
  readonly stage: Stage
  readonly texts: readonly string[]
  readonly isApproved: IsApproved | undefined
  readonly newPause: NewPause
}

async function checkTexts(
  rules: readonly CompiledRule[],
  { stage, texts, isApproved, newPause }: Texts,
): Promise<TextsOutcome> {
  const masks: (readonly Mask[])[] = []
  const findings: Finding[] = []
  const pause = newPause()
  for (const text of rules.length === 0 ? [] : texts) {
    const judge = new TextJudge(rules, stage, { isApproved, decodes: hasEncoding(text) })
    judge.push(text)
    judge.end()
    while (judge.step()) await pause()
    const { parts, ...outcome } = judge.take()
    findings.push(...outcome.findings)
    if (outcome.decision !== 'pass') return { ...outcome, findings: mergeFindings(findings), texts, masks: [] }
    masks.push(parts.flatMap((part) => part.masks))
  }
  const masked = texts.map((text, index) => withMasks(text, masks[index] ?? []))
  return { decision: 'pass', findings: mergeFindings(findings), texts: masked, masks }
}
