import { setImmediate } from 'node:timers/promises'
import type { Approval, Finding, ContentGuard, GuardrailRules, GuardOutcome, Stage, TextsOutcome } from './guard.ts'
import { isAllowedModel } from './model-names.ts'
import { compileRules, toFinding } from './rule-checks.ts'
import type { CompiledRule } from './rule-checks.ts'
import { TextGuard, maxWhole, mergeFindings } from './stream-guard.ts'
import { TextDecision } from './text-decision.ts'

/** Milliseconds of work between two turns of the event loop. */
const sliceMs = 8

/** Compiles the policies of a call. Throws `PolicyProblem` with the place of the first rule that cannot be applied. */
export function compileGuard(policies: readonly GuardrailRules[]): ContentGuard {
  const rules = policies.flatMap(compileRules)
  const ofStage = (stage: Stage): readonly CompiledRule[] => rules.filter(({ stages }) => stages.has(stage))
  const answers = ofStage('response')
  const holdsWhole = answers.some(({ output }) => output !== undefined)
  // One more: a pair of surrogates is released together.
  const lookBack = new TextDecision(answers, 'response').lookBack + 1
  return {
    stages: new Set(rules.flatMap(({ stages }) => [...stages])),
    lookBack: holdsWhole ? maxWhole : lookBack,
    holdsWhole,
    model: (name, approval) => checkModel(rules, name, approval),
    texts: (stage, texts, approval) => checkTexts(ofStage(stage), { stage, texts, ...approval }),
    stream: () => new TextGuard(answers, 'response'),
  }
}

function checkModel(rules: readonly CompiledRule[], name: string, { approved = false }: Approval = {}): GuardOutcome {
  const failed = rules.filter(({ models, policy }) => {
    const [namespace = ''] = policy.split('/', 1)
    return models !== undefined && !isAllowedModel(models, name, namespace)
  })
  const findings = failed.map((rule) => toFinding(rule, 'request', 1))
  const by = findings.find(({ action }) => action === 'block') ?? findings.find(({ action }) => action !== 'allow')
  if (by === undefined || (by.action !== 'block' && approved)) return { decision: 'pass', findings }
  return { decision: by.action === 'block' ? 'block' : 'require_approval', by, findings }
}

interface Texts extends Approval {
  readonly stage: Stage
  readonly texts: readonly string[]
}

async function checkTexts(rules: readonly CompiledRule[], { stage, texts, approved }: Texts): Promise<TextsOutcome> {
  const masked: string[] = []
  const findings: Finding[] = []
  const pause = createPause()
  for (const text of texts) {
    const outcome = await new TextGuard(rules, stage, approved).whole(text, pause)
    findings.push(...outcome.findings)
    if (outcome.decision !== 'pass') return { ...outcome, findings: mergeFindings(findings), texts }
    masked.push(outcome.release === text ? text : outcome.release)
  }
  return { decision: 'pass', findings: mergeFindings(findings), texts: masked }
}

function createPause(): () => Promise<void> | undefined {
  let since = performance.now()
  const pause = async (): Promise<void> => {
    await setImmediate()
    since = performance.now()
  }
  return () => (performance.now() - since < sliceMs ? undefined : pause())
}
