import { guardBody, guardToolCall } from '#core/guardrails/guard-body.ts'
import { UnreadableBody } from '#core/guardrails/body/unreadable-body.ts'
import type { ContentGuard, MaskGuard, MaskOutcome } from '#core/guardrails/guard.ts'
import type {
  CallFilter,
  FilterRefusal,
  FilteredCall,
  ModelRequest,
  Replacement,
  RequestVerdict,
  TextFilter,
  TextWindow,
} from '#plugins/providers/contract/points.ts'
import { guardrailErrors } from '../contract/errors.ts'
import { refusalOf } from './verdicts.ts'
import type { CountFindings } from './verdicts.ts'
import type { Mask } from '#core/guardrails/body/mask.ts'

/** Hooks of the policies' rules for one call. */
export function ruleHooks(guard: ContentGuard, call: FilteredCall, count: CountFindings): CallFilter {
  return {
    request: (request) => refusingUnreadable(() => checkRequest(guard, { call, request, count })),
    ...(guard.stages.has('response') ? { text: textFilter(guard, count) } : {}),
    ...(guard.stages.has('tool_call')
      ? {
          toolCall: (given) =>
            refusingUnreadable(async () => {
              const { name, arguments: json, isCustom = false } = given
              const outcome = await guardToolCall(guard, { name, arguments: json, isText: isCustom })
              count(outcome.findings)
              if (outcome.decision !== 'pass') return refusalOf(outcome)
              const isSame = outcome.name === name && outcome.arguments === json
              return isSame ? undefined : { change: { name: outcome.name, arguments: outcome.arguments } }
            }),
        }
      : {}),
  }
}

interface Checking {
  readonly call: FilteredCall
  readonly request: ModelRequest
  readonly count: CountFindings
}

async function checkRequest(
  guard: ContentGuard,
  { call: { model }, request, count }: Checking,
): Promise<RequestVerdict> {
  const path = `${model.namespace}/${model.name}`
  const ofModel = guard.model(model.kind === 'agent' ? `agent/${path}` : path)
  count(ofModel.findings)
  if (ofModel.decision !== 'pass') return refusalOf(ofModel)
  const outcome = await guardBody(guard, request.source)
  count(outcome.findings)
  if (outcome.decision !== 'pass') return refusalOf(outcome)
  return outcome.body === request.source ? undefined : { changeSource: outcome.body }
}

/** Refuses content in a format that rules cannot read: it would bypass every rule. */
export async function refusingUnreadable<T>(decide: () => Promise<T>): Promise<T | FilterRefusal> {
  try {
    return await decide()
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error
    return { refuse: guardrailErrors.guardrail_blocked, message: `${error.message}.` }
  }
}

/** The text of a field, treated as one text even if other fields come between. */
interface OpenText {
  readonly guard: MaskGuard
  /** Offset of the text in its field. */
  readonly start: number
  /** End of the text that the guard has received. */
  end: number
  masks: readonly Mask[]
  undecided: number
}

/** The gateway holds text back by the look-back of the rules; they are applied to the new part of each window. */
function textFilter(guard: ContentGuard, count: CountFindings): TextFilter {
  const open = new Map<string, OpenText>()
  return {
    lookBack: guard.lookBack,
    held: (place) => open.get(keyOf(place))?.undecided ?? 0,
    check(window) {
      const key = keyOf(window)
      const { offset } = window
      const text = open.get(key) ?? { guard: guard.masks(), start: offset, end: offset, masks: [], undecided: 0 }
      open.set(key, text)
      const outcome = advance(text, window)
      count(outcome.findings)
      if (outcome.decision !== 'pass') return refusalOf(outcome)
      const change = text.masks.flatMap((mask) => toReplacement(mask, text.start - offset))
      return change.length === 0 ? undefined : { change }
    },
  }
}

function keyOf({ choice, field }: Pick<TextWindow, 'choice' | 'field'>): string {
  return `${choice} ${field}`
}

function advance(text: OpenText, { offset, text: given, last }: TextWindow): MaskOutcome {
  const pushed = text.guard.push(given.slice(text.end - offset))
  text.end = offset + given.length
  text.undecided = pushed.undecided
  const ended = last && pushed.decision === 'pass' ? text.guard.end() : undefined
  // Masks of text that is released are not returned again.
  const kept = text.masks.filter(({ end }) => text.start + end > offset)
  text.masks = [...kept, ...pushed.masks, ...(ended?.masks ?? [])]
  return ended === undefined ? pushed : { ...ended, findings: [...pushed.findings, ...ended.findings] }
}

function toReplacement({ start, end, text }: Mask, shift: number): readonly Replacement[] {
  // A match whose beginning was already released.
  if (end + shift <= 0) return []
  return start + shift < 0
    ? [{ start: 0, end: end + shift, text: '' }]
    : [{ start: start + shift, end: end + shift, text }]
}
