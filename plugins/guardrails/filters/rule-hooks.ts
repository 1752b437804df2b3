import type { ContentGuard, Mask, MaskGuard, MaskOutcome } from '#core/guardrails/guard.ts'
import type {
  CallFilter,
  FilteredCall,
  ModelRequest,
  Replacement,
  RequestText,
  TextFilter,
  TextWindow,
  Verdict,
} from '#plugins/providers/points.ts'
import { guardrailErrors } from '../errors.ts'
import { refusalOf } from './verdicts.ts'
import type { CountFindings } from './verdicts.ts'

/** What the rules of the policies do in one call. */
export function ruleHooks(guard: ContentGuard, call: FilteredCall, count: CountFindings): CallFilter {
  return {
    request: (request) => checkRequest(guard, { call, request, count }),
    ...(guard.stages.has('response') ? { text: textFilter(guard, count) } : {}),
    ...(guard.stages.has('tool_call')
      ? {
          async toolCall({ name, arguments: json }) {
            const outcome = await guard.texts('tool_call', [name, json])
            count(outcome.findings)
            const [newName = name, newJson = json] = outcome.texts
            if (outcome.decision !== 'pass') return refusalOf(outcome)
            return newName === name && newJson === json ? undefined : { change: { name: newName, arguments: newJson } }
          },
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
  { call: { model, operation }, request, count }: Checking,
): Promise<Verdict<Readonly<Record<string, unknown>>>> {
  const path = `${model.namespace}/${model.name}`
  const ofModel = guard.model(model.kind === 'agent' ? `agent/${path}` : path)
  count(ofModel.findings)
  if (ofModel.decision !== 'pass') return refusalOf(ofModel)
  const texts = request.texts()
  // Tokens instead of text would pass every rule.
  if (operation === 'embeddings' && texts.length === 0 && guard.stages.has('request'))
    return { refuse: guardrailErrors.guardrail_blocked, message: 'The input must be text, which guardrails can read.' }
  const outcome = await guard.texts(
    'request',
    texts.map(({ text }) => text),
  )
  count(outcome.findings)
  if (outcome.decision !== 'pass') return refusalOf(outcome)
  const changed = [...outcome.texts]
  const results = texts.flatMap((text, index) => (isToolResult(text) ? [index] : []))
  const ofResults = await guard.results(results.map((index) => changed[index] ?? ''))
  count(ofResults.findings)
  if (ofResults.decision !== 'pass') return refusalOf(ofResults)
  for (const [nth, index] of results.entries()) changed[index] = ofResults.texts[nth] ?? ''
  return changeOf(request, texts, changed)
}

/** Whether a text of a request is the result of a tool. */
export function isToolResult({ role }: RequestText): boolean {
  return role === 'tool' || role === 'function'
}

/** The request with changed texts; undefined if none is changed. */
export function changeOf(
  request: ModelRequest,
  texts: readonly RequestText[],
  changed: readonly string[],
): Verdict<Readonly<Record<string, unknown>>> {
  if (texts.every(({ text }, index) => text === changed[index])) return undefined
  let next = 0
  return { change: request.mapTexts(({ text }) => changed[next++] ?? text) }
}

interface OpenText {
  readonly guard: MaskGuard
  /** Offset of the text in its field: a field may have several texts, one after the other. */
  readonly start: number
  /** End of what the guard has received. */
  end: number
  masks: readonly Mask[]
}

/** The gateway holds text back by the look-back of the rules; they are applied to what is new in each window. */
function textFilter(guard: ContentGuard, count: CountFindings): TextFilter {
  const open = new Map<string, OpenText>()
  return {
    lookBack: guard.lookBack,
    check(window) {
      const key = `${window.choice} ${window.field}`
      const text = open.get(key) ?? { guard: guard.masks(), start: window.offset, end: window.offset, masks: [] }
      if (window.last) open.delete(key)
      else open.set(key, text)
      const outcome = advance(text, window)
      count(outcome.findings)
      if (outcome.decision !== 'pass') return refusalOf(outcome)
      const change = text.masks.flatMap((mask) => toReplacement(mask, text.start - window.offset))
      return change.length === 0 ? undefined : { change }
    },
  }
}

function advance(text: OpenText, { offset, text: given, last }: TextWindow): MaskOutcome {
  const pushed = text.guard.push(given.slice(text.end - offset))
  text.end = offset + given.length
  const ended = last && pushed.decision === 'pass' ? text.guard.end() : undefined
  // Masks of text that is released are not returned again.
  const kept = text.masks.filter(({ end }) => text.start + end > offset)
  text.masks = [...kept, ...pushed.masks, ...(ended?.masks ?? [])]
  return ended === undefined ? pushed : { ...ended, findings: [...pushed.findings, ...ended.findings] }
}

function toReplacement({ start, end, text }: Mask, shift: number): readonly Replacement[] {
  // A match that continues what was released with its beginning.
  if (end + shift <= 0) return []
  return start + shift < 0
    ? [{ start: 0, end: end + shift, text: '' }]
    : [{ start: start + shift, end: end + shift, text }]
}
