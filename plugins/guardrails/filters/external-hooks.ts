import { listStrings, replaceStrings } from '#core/guardrails/body/body-texts.ts'
import type { Finding, GuardOutcome, IsApproved, Stage } from '#core/guardrails/guard.ts'
import type { CallFilter, ModelRequest, TextFilter } from '#plugins/providers/contract/points.ts'
import type { ExternalRule } from '../policies/agent-policies.ts'
import type { CallPolicies } from './applying-policies.ts'
import type { HttpCheck, HttpVerdict } from './http-check.ts'
import { refusingUnreadable } from './rule-hooks.ts'
import { refusalOf } from './verdicts.ts'
import type { CountFindings } from './verdicts.ts'

/** Characters of a stream that are held back, so that a service sees the context around the boundary of two calls. */
const lookBack = 2_000
/** New characters of a stream between two calls of a service. */
const step = 1_000
const defaultMask = '[masked]'

/** Results of all services about texts. */
interface CheckedTexts extends GuardOutcome {
  readonly texts: readonly string[]
}

type CheckTexts = (stage: Stage, texts: readonly string[], rules?: readonly ExternalRule[]) => Promise<CheckedTexts>

/** Hooks of the rules with an HTTP check for one call. */
export function externalHooks({ set, isApproved }: CallPolicies, check: HttpCheck, count: CountFindings): CallFilter {
  const ofStage = (stage: Stage): readonly ExternalRule[] => set.external.filter((one) => sees(one, stage))
  const checkTexts: CheckTexts = async (stage, texts, rules = ofStage(stage)) => {
    const outcome = await askAll(rules, { stage, texts, check, isApproved })
    count(outcome.findings)
    return outcome
  }
  const hooks: CallFilter = {
    ...(ofStage('request').length + ofStage('tool_call').length === 0
      ? {}
      : { request: (request) => refusingUnreadable(() => checkRequest(request, checkTexts, set.external)) }),
    ...(ofStage('response').length === 0 ? {} : { text: textFilter(checkTexts) }),
    ...(ofStage('tool_call').length === 0
      ? {}
      : {
          async toolCall({ name, arguments: json }) {
            const outcome = await checkTexts('tool_call', [json])
            if (outcome.decision !== 'pass') return refusalOf(outcome)
            const [changed = json] = outcome.texts
            return changed === json ? undefined : { change: { name, arguments: changed } }
          },
        }),
  }
  return hooks
}

function sees({ rule }: ExternalRule, stage: Stage): boolean {
  return rule.stages?.includes(stage) ?? true
}

async function checkRequest({ source }: ModelRequest, check: CheckTexts, external: readonly ExternalRule[]) {
  const texts = listStrings(source)
  const outcome = await check(
    'request',
    texts.map(({ text }) => text),
  )
  if (outcome.decision !== 'pass') return refusalOf(outcome)
  const changed = [...outcome.texts]
  // Results of tools, for rules that do not see requests.
  const rules = external.filter((one) => sees(one, 'tool_call') && !sees(one, 'request'))
  const results = texts.flatMap(({ isResult }, index) => (isResult ? [index] : []))
  if (rules.length > 0 && results.length > 0) {
    const ofResults = await check(
      'tool_call',
      results.map((index) => changed[index] ?? ''),
      rules,
    )
    if (ofResults.decision !== 'pass') return refusalOf(ofResults)
    for (const [nth, index] of results.entries()) changed[index] = ofResults.texts[nth] ?? ''
  }
  if (texts.every(({ text }, index) => text === changed[index])) return undefined
  return { changeSource: replaceStrings(source, changed) }
}

// A service sees windows of a stream: the end of the released text, and the held text.
function textFilter(check: CheckTexts): TextFilter {
  return {
    lookBack,
    step,
    async check({ text }) {
      const outcome = await check('response', [text])
      if (outcome.decision !== 'pass') return refusalOf(outcome)
      const [changed = text] = outcome.texts
      return changed === text ? undefined : { change: [{ start: 0, end: text.length, text: changed }] }
    },
  }
}

interface Asking {
  readonly stage: Stage
  readonly texts: readonly string[]
  readonly check: HttpCheck
  readonly isApproved: IsApproved
}

/** Calls all services concurrently. A rule that blocks precedes one that requires approval. */
async function askAll(rules: readonly ExternalRule[], asking: Asking): Promise<CheckedTexts> {
  const { stage, texts, check, isApproved } = asking
  if (rules.length === 0 || texts.every((text) => text === '')) return { decision: 'pass', findings: [], texts }
  const verdicts = await Promise.all(rules.map(async (one) => ({ one, verdict: await check(one, stage, texts) })))
  const flagged = verdicts.filter(({ verdict }) => verdict.flagged)
  const found = flagged.map(({ one, verdict }) => ({ one, verdict, finding: toFinding(one, stage) }))
  const findings = found.map(({ finding }) => finding)
  const by =
    findings.find(({ action }) => action === 'block') ??
    findings.find((finding) => finding.action === 'require_approval' && !isApproved(finding))
  if (by !== undefined) return { decision: by.action === 'block' ? 'block' : 'require_approval', by, findings, texts }
  const masking = found.filter(({ finding }) => finding.action === 'mask')
  return { decision: 'pass', findings, texts: maskedBy(masking, texts) }
}

function toFinding({ policy, rule }: ExternalRule, stage: Stage): Finding {
  return { policy, rule: rule.name, check: 'http', stage, action: rule.action, count: 1 }
}

interface Masking {
  readonly one: ExternalRule
  readonly verdict: HttpVerdict
}

// The masked texts of a single service. Two services may mask different parts, so their texts are replaced completely.
function maskedBy(masking: readonly Masking[], texts: readonly string[]): readonly string[] {
  const [first, second] = masking
  if (first === undefined) return texts
  const given = first.verdict.texts
  if (second === undefined && given?.length === texts.length) return given
  return texts.map(() => first.one.rule.mask ?? defaultMask)
}
