import type { ContentGuard, Finding } from '#core/guardrails/guard.ts'
import { isObject } from '#core/json/is-object.ts'
import { viewMessages } from '#core/model-apis/messages-view.ts'
import { noTextFields } from '#core/model-apis/text-fields.ts'
import type { CallApproval } from './call-approval.ts'
import { invalid, isOfMessages, withBody } from './model-request.ts'
import type { ModelRequest } from './model-request.ts'

/** Receives the matches of rules: names and numbers. */
export type OnFindings = (findings: readonly Finding[]) => void

/** One call under rules. */
export interface GuardedCall {
  readonly guard: ContentGuard
  readonly approval: CallApproval
  readonly onFindings: OnFindings
}

/** Returns the request as the rules leave it. Throws `Refusal`. */
export async function guardRequest(call: GuardedCall, request: ModelRequest): Promise<ModelRequest> {
  const { guard, approval } = call
  enforce(call, guard.model(request.route, approval.isApproved))
  if (!guard.stages.has('request') && !guard.stages.has('tool_call')) return request
  const { body, operation } = request
  const field = operation === 'embeddings' ? 'input' : 'messages'
  const view = isOfMessages(operation) ? viewMessages(body) : undefined
  const given = (view?.body ?? body)[field]
  const texts = textsIn(given)
  // Tokens instead of text would pass every rule.
  if (field === 'input' && texts.length === 0) throw invalid('input: must be text, which guardrails can read')
  const outcome = await guard.texts('request', texts, approval.isApproved)
  enforce(call, outcome)
  const changed = [...outcome.texts]
  await guardResults(call, given, changed)
  if (changed.every((text, index) => text === texts[index])) return request
  let next = 0
  const masked = mapTexts(given, () => changed[next++] ?? '')
  return withBody(request, view?.restore({ ...view.body, messages: masked }) ?? { ...body, [field]: masked })
}

/** Reports the findings of a check. Throws `Refusal` unless it passes. */
export function enforce(
  { approval, onFindings }: GuardedCall,
  outcome: Parameters<CallApproval['enforce']>[0] & { readonly findings: readonly Finding[] },
): void {
  if (outcome.findings.length > 0) onFindings(outcome.findings)
  approval.enforce(outcome)
}

// Results of tools are tool calls, too. `changed` has the texts of all messages in order.
async function guardResults(call: GuardedCall, messages: unknown, changed: string[]): Promise<void> {
  if (!call.guard.stages.has('tool_call') || !Array.isArray(messages)) return
  let at = 0
  const indexes: number[] = []
  for (const message of messages) {
    const { length } = textsIn(message)
    const isResult = isObject(message) && (message.role === 'tool' || message.role === 'function')
    if (isResult) for (let nth = 0; nth < length; nth++) indexes.push(at + nth)
    at += length
  }
  const outcome = await call.guard.results(
    indexes.map((index) => changed[index] ?? ''),
    call.approval.isApproved,
  )
  enforce(call, outcome)
  for (const [nth, index] of indexes.entries()) changed[index] = outcome.texts[nth] ?? ''
}

function textsIn(value: unknown): readonly string[] {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

// Recursive: the depth of a body is limited when it is parsed.
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, change))
  const entries = Object.entries(value).map(([key, one]: [string, unknown]) => [
    key,
    noTextFields.has(key) && typeof one === 'string' ? one : mapTexts(one, change),
  ])
  return Object.fromEntries(entries)
}
