import type { ContentGuard, Finding, GuardOutcome } from '#core/guardrails/guard.ts'
import { refusalMessage } from '#core/guardrails/messages.ts'
import { Refusal } from '../http/refusal.ts'
import { invalid, withBody } from './model-request.ts'
import type { ModelRequest } from './model-request.ts'

/** Receives the matches of rules: names and numbers. */
export type OnFindings = (findings: readonly Finding[]) => void

/** Reports the findings of a check. Throws `Refusal` unless it passes. */
export function enforce(outcome: GuardOutcome, onFindings: OnFindings): void {
  const { decision, by, findings } = outcome
  if (findings.length > 0) onFindings(findings)
  if (decision === 'pass') return
  const code = decision === 'block' ? 'guardrail_blocked' : 'guardrail_approval_required'
  throw new Refusal(code, by === undefined ? undefined : refusalMessage(by))
}

/** Returns the request as the rules leave it. Throws `Refusal`. */
export async function guardRequest(
  guard: ContentGuard,
  request: ModelRequest,
  onFindings: OnFindings,
): Promise<ModelRequest> {
  enforce(guard.model(request.route), onFindings)
  if (!guard.stages.has('request')) return request
  const { body, operation } = request
  const field = operation === 'embeddings' ? 'input' : 'messages'
  const texts: string[] = []
  mapTexts(body[field], (text) => {
    texts.push(text)
    return text
  })
  // Tokens instead of text would pass every rule.
  if (field === 'input' && texts.length === 0) throw invalid('input: must be text, which guardrails can read')
  const outcome = await guard.texts('request', texts)
  enforce(outcome, onFindings)
  if (outcome.texts.every((text, index) => text === texts[index])) return request
  let next = 0
  const changed = mapTexts(body[field], () => outcome.texts[next++] ?? '')
  return withBody(request, { ...body, [field]: changed })
}

/** Fields of messages that are no text of the conversation, as the filters of the gateway have them. */
const noText: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'tool_call_id',
  'url',
  'data',
  'file_data',
  'file_id',
  'format',
  'detail',
])

// Recursive: the depth of a body is limited when it is parsed.
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, change))
  const entries = Object.entries(value).map(([key, one]: [string, unknown]) => [
    key,
    noText.has(key) && typeof one === 'string' ? one : mapTexts(one, change),
  ])
  return Object.fromEntries(entries)
}
