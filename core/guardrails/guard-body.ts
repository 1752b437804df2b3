import { mergeFindings, withMasks } from './text-judge.ts'
import type { ContentGuard, Finding, GuardOutcome, IsApproved, TextsOutcome } from './guard.ts'
import { readTexts } from './body/body-texts.ts'
import type { BodyText } from './body/body-texts.ts'
import { mapArguments } from './body/map-strings.ts'
import { TextView } from './body/text-view.ts'
import { UnreadableBody } from './body/unreadable-body.ts'
import type { Mask } from './body/mask.ts'

type Body = Readonly<Record<string, unknown>>

/** Result of the rules on a request. */
export interface GuardedBody extends GuardOutcome {
  /** The request with masks; the same object if there are none. */
  readonly body: Body
}

/** Applies rules to a request, including its tool results. Throws `UnreadableBody`. */
export async function guardBody(guard: ContentGuard, body: Body, isApproved?: IsApproved): Promise<GuardedBody> {
  if (!guard.stages.has('request') && !guard.stages.has('tool_call')) return { decision: 'pass', findings: [], body }
  refuseTokens(body)
  const read = readTexts(body)
  const results = read.texts.filter(({ isResult }) => isResult)
  const checks = [
    { texts: read.texts, judge: (texts: readonly string[]) => guard.texts('request', texts, isApproved) },
    { texts: results, judge: (texts: readonly string[]) => guard.results(texts, isApproved) },
  ]
  const findings: Finding[] = []
  const masks = new Map<number, Mask[]>()
  for (const { texts, judge } of checks) {
    const outcome = await judgeTexts(texts, judge, masks)
    findings.push(...outcome.findings)
    if (outcome.decision !== 'pass') return { ...outcome, findings: mergeFindings(findings), body }
  }
  const split = await judgeViews(read.across, (texts) => guard.split(texts, isApproved), masks, { onlySplit: true })
  findings.push(...notYetIn(findings, split.findings))
  if (split.decision !== 'pass') return { ...split, findings: mergeFindings(findings), body }
  const passed = { decision: 'pass', findings: mergeFindings(findings) } as const
  if (masks.size === 0) return { ...passed, body: read.written }
  const changes = [...masks].map(([index, own]) => [index, (text: string) => withMasks(text, own)] as const)
  return { ...passed, body: read.replaced(new Map(changes)) }
}

type Judge = (texts: readonly string[]) => Promise<TextsOutcome>

// A match may be in one line, or split over parts: both views are judged.
async function judgeTexts(texts: readonly BodyText[], judge: Judge, masks: Map<number, Mask[]>): Promise<GuardOutcome> {
  const lines = await judgeViews(
    texts.map((text) => text.lines),
    judge,
    masks,
  )
  const joined = texts.flatMap((text) => text.joined ?? [])
  if (lines.decision !== 'pass' || joined.length === 0) return lines
  const outcome = await judgeViews(joined, judge, masks)
  return { ...outcome, findings: [...lines.findings, ...notYetIn(lines.findings, outcome.findings)] }
}

function notYetIn(given: readonly Finding[], more: readonly Finding[]): readonly Finding[] {
  const known = new Set(given.map(keyOf))
  return more.filter((finding) => !known.has(keyOf(finding)))
}

async function judgeViews(
  views: readonly TextView[],
  judge: Judge,
  masks: Map<number, Mask[]>,
  options: { readonly onlySplit?: boolean } = {},
): Promise<GuardOutcome> {
  const { masks: found, texts: _, ...outcome } = await judge(views.map(({ text }) => text))
  for (const [nth, view] of views.entries()) view.addMasks(found[nth] ?? [], masks, options)
  return outcome
}

function keyOf({ policy, rule }: Finding): string {
  return `${policy} ${rule}`
}

// Tokens in place of text would pass every rule.
function refuseTokens({ messages, input }: Body): void {
  if (messages !== undefined) return
  const isText = (value: unknown): boolean =>
    typeof value !== 'number' && (!Array.isArray(value) || value.every(isText))
  if (!isText(input) || (Array.isArray(input) && input.length === 0))
    throw new UnreadableBody('/input', 'must be a string so that guardrails can read it')
}

/** A tool call of a response. */
export interface GuardedCallText {
  readonly name: string
  readonly arguments: string
  /** Whether the arguments are text instead of JSON, as for custom tools. */
  readonly isText?: boolean
}

/** Result of the rules on a tool call. */
export interface GuardedToolCall extends GuardOutcome {
  readonly name: string
  readonly arguments: string
}

/** Applies rules to a tool call: to its name and to the strings of its arguments. Throws `UnreadableBody`. */
export async function guardToolCall(
  guard: ContentGuard,
  { name, arguments: json, isText = false }: GuardedCallText,
  isApproved?: IsApproved,
): Promise<GuardedToolCall> {
  const view = new TextView()
  let count = 0
  if (isText) view.line(count, json)
  else
    mapArguments(json, (one) => {
      view.json(count++, one)
      return one.text
    })
  const { texts: _, masks: found, ...outcome } = await guard.texts('tool_call', [name, view.text], isApproved)
  if (outcome.decision !== 'pass') return { ...outcome, name, arguments: json }
  const [ofName = [], ofView = []] = found
  const masks = new Map<number, Mask[]>()
  view.addMasks(ofView, masks)
  const masked = (text: string, index: number): string => withMasks(text, masks.get(index) ?? [])
  let next = 0
  const changed = isText ? masked(json, 0) : mapArguments(json, ({ text }) => masked(text, next++))
  return { ...outcome, name: withMasks(name, ofName), arguments: changed }
}
